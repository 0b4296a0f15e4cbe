@dice
Feature: LEDs, battery and status
  The controls of a connected die.

  @D-led @D-bodies @kernel
  Scenario: Both LEDs
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
    Then the answer is 200
    And the answer has exactly "session_id", "led1" and "led2"
    And the answer has {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}

  @D-led @model
  Scenario: The die shows both colours
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
    Then the die's LEDs are "FF8000" and "0000FF"

  @D-led-format @any-maker
  Scenario Outline: The colour <given> is <colour>
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "<given>"}
    Then the answer is 200
    And the answer has "led1" "<colour>"

    Examples:
      | given   | colour |
      | a0b1c2  | A0B1C2 |
      | #A0B1C2 | A0B1C2 |
      | #ffFFff | FFFFFF |

  @D-led-format @model @any-maker
  Scenario Outline: The die shows <given>
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "<given>"}
    Then the die's LEDs are "<colour>" and "000000"

    Examples:
      | given   | colour |
      | a0b1c2  | A0B1C2 |
      | #A0B1C2 | A0B1C2 |
      | #ffFFff | FFFFFF |

  @D-led-format @model @kernel
  Scenario: An omitted LED keeps its colour
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "112233", "led2": "445566"}
    And I send POST "/api/led" with {"session_id": "<session>", "led2": "#77aa99"}
    Then the answer has {"led1": "112233", "led2": "77AA99"}
    And the die's LEDs are "112233" and "77AA99"

  @D-led-format
  Scenario: A colour of null counts as omitted
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "112233", "led2": "445566"}
    And I send POST "/api/led" with {"session_id": "<session>", "led1": null, "led2": "778899"}
    Then the answer has "led1" "112233"
    And the answer has "led2" "778899"
    When I send POST "/api/led" with {"session_id": "<session>", "led1": null, "led2": null}
    Then the answer is 400 naming "led1 and led2 are missing"

  @D-led-format
  Scenario Outline: The colour <given> is refused
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "<led>": <given>}
    Then the answer is 400 naming "<led>"

    Examples:
      | led  | given      |
      | led1 | "red"      |
      | led1 | "FFF"      |
      | led1 | "##FF0000" |
      | led1 | "FF00000"  |
      | led1 | "GG0000"   |
      | led1 | 16711680   |
      | led1 | null       |
      | led2 | "red"      |

  @D-led-format @simulated
  Scenario: A refused colour does not reach the die
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "red"}
    Then the answer is 400 naming "led1"
    And the die received no LED command

  @D-led-format @any-maker
  Scenario: A request without an LED is refused
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>"}
    Then the answer is 400 naming "led1"

  @D-led @model @any-maker
  Scenario: The last colour of a burst wins
    Given a connected die
    When I set LED 1 to 50 colours in a row
    Then all 50 answers are 200
    And the die's LEDs are the last colour and "000000"

  @D-battery @D-bodies @simulated @kernel @any-maker
  Scenario: The battery level is the die's
    Given a connected die
    And the die's battery is at 57
    When I send GET "/api/battery/<session>"
    Then the answer is 200
    And the answer has exactly "session_id" and "battery_level"
    And the answer has {"session_id": "<session>", "battery_level": 57}

  @D-battery @D-status @D-other-events @operator
  Scenario: The battery level rises on the charger
    Given a connected die that is not full
    And a client of the event stream
    When I send GET "/api/battery/<session>"
    And the die is put on its charger
    Then each client receives a BatteryLevel above the answer sooner or later
    And sooner or later "/api/battery/<session>" has a higher "battery_level" than the last answer
    And sooner or later "/api/status/<session>" has a higher "battery_level" than the last answer
    And the status has "charging" true
    When the die is taken off its charger
    Then sooner or later the status has "charging" false

  @D-battery @any-maker
  Scenario: The battery level is 0 to 100
    Given a connected die
    When I send GET "/api/battery/<session>"
    Then the answer is 200
    And the answer has an integer "battery_level" from 0 to 100

  @D-battery @any-maker
  Scenario: Many concurrent requests
    Given a connected die
    When I send GET "/api/battery/<session>" 20 times concurrently
    Then all 20 answers are 200

  @D-status @D-bodies @operator @kernel @any-maker
  Scenario: The status record
    Given a die that rests on 3
    When I connect the die
    And I send GET "/api/status/<session>"
    Then the answer is 200
    And the answer is a status record
    And the answer has {"session_id": "<session>", "address": "<address>", "name": "<name>", "face": 3}
    And the answer has {"connected": true, "charging": false, "rolling": false}
    And the answer has an integer "rssi" from -128 to -1

  @D-status @simulated
  Scenario: The status has the shell and the battery level
    Given a die
    And the die's battery is at 57
    When I connect the die as d20
    And I send GET "/api/status/<session>"
    Then the answer has {"dice_type": "d20", "battery_level": 57}

  @D-status
  Scenario Outline: The colour of <die>
    Given <die>
    When I connect the die
    Then the status has "color" "<colour>"

    Examples:
      | die           | colour |
      | a black die   | black  |
      | a red die     | red    |
      | a green die   | green  |
      | a blue die    | blue   |
      | a yellow die  | yellow |
      | an orange die | orange |

  @D-status @operator
  Scenario: The status reports that the die rolls, and where it came to rest
    Given a connected die and a client of the event stream
    When the die begins a roll that does not end
    Then each client receives RollStart
    And the status has "rolling" true
    When the die is turned to 2
    Then each client receives Stable 2
    And the status has "rolling" false
    And the status has "face" 2

@dice @pixels
Feature: Pixels dice
  Pixels dice know their type and faces. Scenarios for dice of all makers are in the other features.

  @D-beyond-detail @simulated
  Scenario: A scan in full, without a connection
    Given a die with "die" "d20", "face" 17, "color" "midnight_galaxy" and "battery_level" 81
    When I send POST "/api/scan?detail=full"
    Then the answer is 200
    And the list shows the die with "maker" "Pixels", "dice_type" "d20", "color" "midnight_galaxy" and "battery_level" 81
    And the list shows the die with "charging" false, "rolling" false and "face" 17

  @D-beyond-detail
  Scenario: The status in full
    Given a connected die
    When I send GET "/api/status/<session>?detail=full"
    Then the answer is 200
    And the answer is a detailed status record
    And the answer has "maker" "Pixels"
    And the answer has "capabilities" ["led1", "pulse"]

  @simulated
  Scenario Outline: A <die> reports its type
    Given a die with "die" "<die>"
    When I connect the die
    Then the answer is 200
    And the status has "dice_type" "<type>"

    Examples:
      | die       | type  |
      | d4        | d4    |
      | d6        | d6    |
      | d6_pipped | d6    |
      | d8        | d8    |
      | d10       | d10   |
      | d10x      | d10x  |
      | d12       | d12   |
      | d20       | d20   |
      | fudge     | fudge |

  @simulated
  Scenario: Another type is refused without a session
    Given a die with "die" "d20"
    When I connect the die as d6
    Then the answer is 400 with code "wrong_dice_type"
    And the message names "d20"
    And no session is open
    And the die is not connected

  Scenario: Another type is refused, and the session goes on
    Given a connected die as d20
    When I connect the die again as d6
    Then the answer is 400 with code "wrong_dice_type"
    And the status has "dice_type" "d20"
    And the status has "connected" true

  Scenario Outline: <path> is refused by name
    Given a connected die
    When I send POST "<path>" with {"session_id": "<session>", "led2": "FF0000", "single": true, "count": 1, "on_ms": 100, "off_ms": 100, "color": "FF0000", "leds": "led2"}
    Then the answer is 400 with code "not_supported"
    And the message names "<name>"

    Examples:
      | path           | name      |
      | /api/led       | led2      |
      | /api/pulse     | led2      |
      | /api/taps      | taps      |
      | /api/calibrate | calibrate |

  @model
  Scenario: A pulse is a blink, lit for half of its time
    Given a connected die
    When I send POST "/api/pulse" with {"session_id": "<session>", "count": 3, "on_ms": 400, "off_ms": 600, "color": "00FF00"}
    Then the answer is 200
    And the die blinks "00FF00" 3 times in 3000 ms

  @operator
  Scenario: Events have no acceleration
    Given a connected die and a client of the event stream
    When the die rolls 6
    Then each client receives RollStart
    And the next message has exactly "kind", "face" and "acceleration"
    And it is a Stable
    And its acceleration is null

  @operator
  Scenario: A die that is turned in a hand
    Given a connected die and a client of the event stream
    When the die is turned to 5
    Then each client receives MoveStable 5

  @simulated @operator
  Scenario: A d4 that leans
    Given a die with "die" "d4"
    And a client of the event stream
    When I connect the die
    And the die rolls 3, ending tilt
    Then each client receives RollStart, then TiltStable 3

  @D-beyond-roll @simulated
  Scenario: A client of the server rolls a fudge die
    Given a die with "die" "fudge"
    And a client of the event stream
    And a server with a simulator
    When I connect the die
    And I send POST "/api/dice/<address>/roll" with {"die": "fudge", "face": 1}
    Then the answer is 200
    And each client receives RollStart, then Stable 1

  @simulated @operator
  Scenario: Every side of a fudge die
    Given a die with "die" "fudge"
    And a client of the event stream
    When I connect the die
    And the die rolls each of -1, 0, 1
    Then each client receives RollStart and Stable for each roll, in order

  @simulated @operator
  Scenario Outline: Rolls of a <die> with the firmware of <firmware>
    Given a die with "die" "<die>" and "firmware" "<firmware>"
    And a client of the event stream
    When I connect the die
    And the die rolls each of 1, 4, 2, 3
    Then each client receives RollStart and Stable for each roll, in order

    Examples: Wrong tables of faces, until 2024-01-01
      | die | firmware   |
      | d4  | 2023-11-17 |
      | d6  | 2023-11-17 |

    Examples: Each firmware, the last with other services
      | die | firmware   |
      | d20 | 2023-11-17 |
      | d6  | 2024-02-06 |
      | d6  | 2024-09-27 |
      | d20 | 2024-10-11 |
      | d20 | 2024-11-07 |
      | d20 | 2025-01-03 |

  @operator
  Scenario: A die on its charger
    Given a connected die and a client of the event stream
    When the die is put on its charger
    Then each client receives Charging with "charging" true
    And the status has "charging" true

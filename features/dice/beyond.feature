@dice
Feature: Beyond the seed
  Pulse, taps, the list of sessions, and rolls of simulated dice.

  @D-beyond-pulse @model
  Scenario: A pulse of the LEDs without an end
    Given a connected die
    When I send POST "/api/pulse" with {"session_id": "<session>", "count": 255, "on_ms": 100, "off_ms": 200, "color": "#00ff00", "leds": "led1"}
    Then the answer is 200
    And the answer has {"session_id": "<session>", "count": 255, "on_ms": 100, "off_ms": 200, "color": "00FF00", "leds": "led1"}
    And the die pulses {"count": 255, "on_ms": 100, "off_ms": 200, "color": "00FF00", "leds": "led1"}

  @D-beyond-pulse @model
  Scenario: A pulse is of both LEDs unless it names one
    Given a connected die
    When I send POST "/api/pulse" with {"session_id": "<session>", "count": 1, "on_ms": 0, "off_ms": 2550, "color": "00FF00"}
    Then the answer has "leds" "both"
    And the die pulses {"leds": "both"}

  @D-beyond-pulse
  Scenario Outline: A pulse with <field> <value> is taken
    Given a connected die
    When I send POST "/api/pulse" with a "<field>" of <value>
    Then the answer is 200

    Examples:
      | field  | value  |
      | count  | 1      |
      | on_ms  | 2550   |
      | off_ms | 0      |
      | off_ms | 2550   |
      | leds   | "led2" |

  @D-beyond-pulse
  Scenario Outline: A pulse with <field> <value> is refused
    Given a connected die
    When I send POST "/api/pulse" with a "<field>" of <value>
    Then the answer is 400 naming "<field>"

    Examples:
      | field  | value   |
      | count  | 0       |
      | count  | 256     |
      | on_ms  | -10     |
      | on_ms  | 15      |
      | on_ms  | 2560    |
      | off_ms | -10     |
      | off_ms | 15      |
      | off_ms | 2560    |
      | off_ms | "200"   |
      | color  | "green" |
      | leds   | "all"   |

  @D-beyond-taps
  Scenario: Taps that are left out stay as they are
    Given a connected die
    When I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": false}
    Then the answer has {"session_id": "<session>", "single": true, "double": false}
    When I send POST "/api/taps" with {"session_id": "<session>", "double": true}
    Then the answer has {"single": true, "double": true}

  @D-beyond-taps
  Scenario: Taps that are neither single nor double are refused
    Given a connected die
    When I send POST "/api/taps" with {"session_id": "<session>"}
    Then the answer is 400 naming "single"

  @D-beyond-sessions
  Scenario: The list of sessions has status records
    Given 2 connected dice
    When I send GET "/api/sessions"
    Then the answer is 200
    And the answer lists the status record of each die

  @D-beyond-sessions @D-beyond-detail @operator
  Scenario: The status in full is that of the list of sessions
    Given a die that rests on 3
    When I connect the die
    And I set {"label": "Red"} of the die
    And I send POST "/api/led" with {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
    And I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": false}
    And I send GET "/api/battery/<session>"
    And I send GET "/api/status/<session>?detail=full"
    Then the answer has {"label": "Red", "maker": "GoDice", "capabilities": ["led1", "led2", "pulse", "taps", "calibrate"]}
    And the answer has {"leds": {"led1": "FF8000", "led2": "0000FF"}, "taps": {"single": true, "double": false}, "lost_until": null}
    And the list of sessions has the answer

  @D-beyond-detail
  Scenario: A scan in full has labels and makers
    Given a die
    When I scan for dice
    And I set {"label": "Red"} of the die
    And I send POST "/api/scan?detail=full"
    Then the list shows the die with "label" "Red" and "maker" "GoDice"

  @D-beyond-detail
  Scenario Outline: <method> <path> knows no other detail
    Given a connected die
    When I send <method> "<path>?detail=some"
    Then the answer is 400 naming "detail"

    Examples:
      | method | path                  |
      | POST   | /api/scan             |
      | GET    | /api/status/<session> |

  @D-beyond-roll @simulated @any-maker
  Scenario: A client of the server rolls a simulated die
    Given a connected die and a client of the event stream
    And a server with a simulator
    When I send POST "/api/dice/<address in lower case>/roll" with {"face": 5}
    Then the answer is 200
    And the answer has exactly "address" and "rolled"
    And the answer has {"address": "<address>", "rolled": true}
    And each client receives RollStart, then Stable 5

  @D-beyond-roll @simulated
  Scenario Outline: A roll with <roll> ends with <event>
    Given a connected die as d12
    And a client of the event stream
    And a server with a simulator
    When I send POST "/api/dice/<address>/roll" with <roll>
    Then the answer is 200
    And each client receives RollStart, then <event>

    Examples:
      | roll                                         | event        |
      | {"face": 11, "roll_ms": 0}                   | Stable 11    |
      | {"face": 2, "ending": "tilt", "roll_ms": 10} | TiltStable 2 |

  @D-beyond-roll @simulated
  Scenario: A roll of another shell than that of the die
    Given a connected die and a client of the event stream
    And a server with a simulator
    When I send POST "/api/dice/<address>/roll" with {"face": 11, "die": "d12"}
    Then the answer is 200
    And each client receives RollStart
    And sooner or later the die's face as a d12 is 11

  @D-beyond-roll @simulated
  Scenario Outline: A roll with <roll> goes on
    Given a connected die and a client of the event stream
    And a server with a simulator
    When I send POST "/api/dice/<address>/roll" with <roll>
    Then the answer is 200
    And each client receives RollStart
    And each client has received nothing more

    Examples:
      | roll                                |
      | {"face": 2, "ending": "none"}       |
      | {"face": 2, "roll_ms": 3600000}     |

  @D-beyond-detail
  Scenario: A session has no settings of an earlier one
    Given a connected die
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
    And I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": false}
    And I disconnect the die
    And I connect the die
    And I send GET "/api/status/<session>?detail=full"
    Then the answer has {"leds": null, "taps": null}

  @D-beyond-roll @simulated
  Scenario: The code of a roll that is refused
    Given a server with a simulator
    Then these requests are answered with 400 and code "invalid_input"
      | POST /api/dice/D1:CE:FF:FF:FF:FE/roll | {"roll_ms": -1} |
    And these requests are answered with 404 and code "unknown_device"
      | POST /api/dice/D1:CE:FF:FF:FF:FE/roll | {} |
    And broken JSON as a body is answered with 400 and code "invalid_json"
      | POST /api/dice/D1:CE:FF:FF:FF:FE/roll |
    And plain text as a body is answered with 415 and code "unsupported_media_type"
      | POST /api/dice/D1:CE:FF:FF:FF:FE/roll |
    And 100 KB of JSON as a body is answered with 413 and code "body_too_large"
      | POST /api/dice/D1:CE:FF:FF:FF:FE/roll |

  @D-beyond-roll @simulated
  Scenario Outline: A roll with <field> <value> is refused
    Given a die
    And a server with a simulator
    When I send POST "/api/dice/<address>/roll" with {"<field>": <value>}
    Then the answer is 400 naming "<field>"

    Examples:
      | field   | value   |
      | die     | "d100"  |
      | ending  | "lost"  |
      | roll_ms | -1      |
      | roll_ms | 3600001 |

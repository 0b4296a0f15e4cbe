@dice
Feature: Bad input
  Every refusal is JSON with the right status and a message that names the field, and the server still answers.

  @D-errors
  Scenario Outline: POST <path> with <what>
    Given a connected die
    When I send POST "<path>" with <body>
    Then the answer is <status> naming "<field>"
    And the server still answers

    @D-connect
    Examples:
      | path            | what                | body                                                    | status | field      |
      | /api/connect    | broken JSON         | {"address":                                             | 400    | JSON       |
      | /api/connect    | an array            | []                                                      | 400    | object     |
      | /api/connect    | a text              | "D1:CE:00:00:00:01"                                     | 400    | object     |
      | /api/connect    | null                | null                                                    | 400    | object     |
      | /api/connect    | no address          | {}                                                      | 400    | address    |
      | /api/connect    | an address number   | {"address": 1}                                          | 400    | address    |
      | /api/connect    | a malformed address | {"address": "D1:CE:00:00:00"}                           | 400    | address    |
      | /api/connect    | dashes              | {"address": "D1-CE-00-00-00-01"}                        | 400    | address    |

    @D-dice-type
    Examples:
      | path            | what                | body                                                    | status | field      |
      | /api/connect    | an unknown type     | {"address": "D1:CE:00:00:00:01", "dice_type": "d100"}   | 400    | dice_type  |
      | /api/connect    | a type in capitals  | {"address": "D1:CE:00:00:00:01", "dice_type": "D6"}     | 400    | dice_type  |
      | /api/connect    | a numeric type      | {"address": "D1:CE:00:00:00:01", "dice_type": 6}        | 400    | dice_type  |

    @D-disconnect
    Examples:
      | path            | what                | body                                                    | status | field      |
      | /api/disconnect | no session          | {}                                                      | 400    | session_id |
      | /api/disconnect | a session number    | {"session_id": 1}                                       | 400    | session_id |
      | /api/disconnect | an unknown session  | {"session_id": "s1"}                                    | 404    | s1         |

    @D-led
    Examples:
      | path            | what                | body                                                    | status | field      |
      | /api/led        | no session          | {"led1": "FF0000"}                                      | 400    | session_id |
      | /api/led        | an unknown session  | {"session_id": "s1", "led1": "FF0000"}                  | 404    | s1         |
      | /api/led        | a bad second colour | {"session_id": "<session>", "led1": "FF0000", "led2": "blue"} | 400 | led2     |

    @D-calibrate
    Examples:
      | path            | what                | body                                                    | status | field      |
      | /api/calibrate  | no session          | {}                                                      | 400    | session_id |
      | /api/calibrate  | an unknown session  | {"session_id": "s1"}                                    | 404    | s1         |

  @D-errors
  Scenario Outline: POST <path> without a body
    When I send POST "<path>"
    Then the answer is 400 naming "body"

    Examples:
      | path            |
      | /api/connect    |
      | /api/disconnect |
      | /api/led        |
      | /api/calibrate  |

  @D-errors @D-session-life @D-disconnect @D-led @D-beyond-pulse @D-beyond-taps @D-calibrate @D-battery @D-status @kernel
  Scenario Outline: The code of <what> session
    Given a connected die
    When I disconnect the die
    Then these requests are answered with 404 and code "session_not_found"
      | POST /api/disconnect    | {"session_id": "<id>"}                                                                   |
      | POST /api/led           | {"session_id": "<id>", "led1": "FF0000"}                                                 |
      | POST /api/pulse         | {"session_id": "<id>", "count": 1, "on_ms": 100, "off_ms": 100, "color": "FF0000"}       |
      | POST /api/taps          | {"session_id": "<id>", "single": true}                                                   |
      | POST /api/calibrate     | {"session_id": "<id>"}                                                                   |
      | GET /api/battery/<id>   |                                                                                          |
      | GET /api/status/<id>    |                                                                                          |

    Examples:
      | what       | id        |
      | an unknown | s1        |
      | an empty   | %20       |
      | an ended   | <session> |

  @D-errors @D-scan @D-connect @D-disconnect @D-led @D-beyond-pulse @D-beyond-taps @D-calibrate @D-status
  @D-beyond-records @D-beyond-rolls @D-beyond-statistics @D-beyond-upkeep
  Scenario: The code of wrong input
    Given a connected die
    Then these requests are answered with 400 and code "invalid_input"
      | POST /api/scan?duration_secs=0                  |                                                                                              |
      | POST /api/connect                               | {"address": 1}                                                                               |
      | POST /api/disconnect                            | {"session_id": 1}                                                                            |
      | POST /api/led                                   | {"session_id": "<session>"}                                                                  |
      | POST /api/pulse                                 | {"session_id": "<session>", "count": 0, "on_ms": 100, "off_ms": 100, "color": "FF0000"}      |
      | POST /api/taps                                  | {"session_id": "<session>"}                                                                  |
      | POST /api/calibrate                             | {}                                                                                           |
      | GET /api/status/<session>?detail=some           |                                                                                              |
      | PATCH /api/dice/<address>                       | {}                                                                                           |
      | DELETE /api/dice/D1-CE                          |                                                                                              |
      | GET /api/rolls?limit=0                          |                                                                                              |
      | DELETE /api/rolls                               |                                                                                              |
      | GET /api/dice/<address>/statistics?dice_type=d7 |                                                                                              |
      | PUT /log                                        | {"verbose": 4}                                                                               |

  @D-errors @D-limits @D-connect @D-disconnect @D-led @D-beyond-pulse @D-beyond-taps @D-calibrate @D-beyond-records
  @D-beyond-upkeep
  Scenario Outline: The code of <what> as a body
    Then <what> as a body is answered with <status> and code "<code>"
      | POST /api/connect                 |
      | POST /api/disconnect              |
      | POST /api/led                     |
      | POST /api/pulse                   |
      | POST /api/taps                    |
      | POST /api/calibrate               |
      | PATCH /api/dice/D1:CE:FF:FF:FF:FE |
      | PUT /log                          |

    Examples:
      | what           | status | code                   |
      | broken JSON    | 400    | invalid_json           |
      | plain text     | 415    | unsupported_media_type |
      | 100 KB of JSON | 413    | body_too_large         |

  @D-errors
  Scenario: A path that cannot be decoded
    When I send GET "/api/status/%E0%A4%A"
    Then the answer is 400 naming "path"

  @D-errors
  Scenario: A wrong method names the right ones
    When I send GET "/api/led"
    Then the answer is 405 with code "method_not_allowed"
    And the header "allow" names "POST"

  @D-errors @D-limits
  Scenario: A body of 1 MB
    When I send POST "/api/connect" with a body of 1000000 bytes
    Then the answer is 413 with code "body_too_large"
    And the server still answers

  @D-errors
  Scenario: Unknown fields are ignored
    Given a die
    When I send POST "/api/connect" with {"address": "<address>", "dice_type": "d8", "from_the_future": true}
    Then the answer is 200

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

  @D-errors @kernel
  Scenario Outline: GET <path> of an unknown session
    When I send GET "<path>"
    Then the answer is 404 with code "session_not_found"

    Examples:
      | path                 |
      | /api/battery/unknown |
      | /api/status/unknown  |
      | /api/status/%20      |

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

@dice
Feature: What the dice server remembers
  Names, rolls and kept dice outlast sessions and the server.

  @D-beyond-records @any-maker
  Scenario: A label is shown wherever the die is, until it is removed
    Given a connected die
    When I set {"label": " Grandma’s die "} of the die
    Then the answer is 200
    And the answer has "label" "Grandma’s die"
    And the server remembers {"label": "Grandma’s die", "connected": true, "session_id": "<session>"} of the die
    And the list of sessions shows {"label": "Grandma’s die"}
    When I send GET "/api/status/<session>?detail=full"
    Then the answer has "label" "Grandma’s die"
    When I set {"label": null} of the die
    Then the answer has "label" null
    And the server remembers {"label": null} of the die
    And the list of sessions shows {"label": null}
    When I send GET "/api/status/<session>?detail=full"
    Then the answer has "label" null
    When I set {"label": "Red"} of the die
    And I disconnect the die
    Then the server remembers {"label": "Red", "connected": false, "session_id": null} of the die
    When I set {"label": null} of the die
    Then the answer is 200
    And the server remembers {"label": null} of the die

  @D-beyond-records
  Scenario: The record of a die
    Given a connected die
    When I send GET "/api/battery/<session>"
    And I set {"label": "Red", "keep_connected": true} of the die
    Then the answer is 200
    And the answer has {"address": "<address>", "label": "Red", "name": "<name>", "maker": "GoDice", "dice_type": "d6"}
    And the answer has {"keep_connected": true, "connected": true, "session_id": "<session>"}
    And the list of dice has the answer
    And the die was last seen within 30 s

  @D-beyond-records
  Scenario: A field that is left out stays as it is
    Given a connected die
    When I set {"label": "Red", "keep_connected": true} of the die
    And I set {"keep_connected": false} of the die
    Then the answer has "label" "Red"
    And the answer has "keep_connected" false

  @D-beyond-records
  Scenario Outline: A label of <count> is taken
    Given a connected die
    When I set {"label": "<label>"} of the die
    Then the answer has "label" "<label>"

    Examples:
      | count         | label                                                        |
      | 1 character   | R                                                            |
      | 60 characters | Lorem ipsum dolor sit amet, consectetur adipisici elit, sed! |

  @D-beyond-records
  Scenario Outline: <what> is refused as a label
    Given a connected die
    When I set {"label": <label>} of the die
    Then the answer is 400 naming "label"
    And the server remembers {"label": null} of the die

    Examples:
      | what                   | label                                                           |
      | a text of 61 letters   | "Lorem ipsum dolor sit amet, consectetur adipisici elit, sed e" |
      | a text with a control  | "Red\u0007"                                                     |
      | a text of two lines    | "Red\\nDie"                                                     |
      | an empty text          | ""                                                              |
      | a text of spaces alone | "   "                                                           |
      | a zero-width space     | "\u200b"                                                        |
      | a character of no text | "\uffff"                                                        |
      | a tag                  | "\udb40\udc41"                                                  |
      | half of a pair         | "Red\ud83c"                                                     |
      | a number               | 7                                                               |

  @D-beyond-records
  Scenario Outline: A change with <change> is refused
    Given a connected die
    When I send PATCH "/api/dice/<address>" with <change>
    Then the answer is 400 naming "<field>"

    Examples:
      | change              | field          |
      | {}                  | keep_connected |
      | {"dice_type": "d7"} | dice_type      |

  @D-beyond-records @D-beyond-statistics @simulated @any-maker
  Scenario: The address in a path may be in lower case
    Given a connected die
    When I send PATCH "/api/dice/<address in lower case>" with {"label": "Red"}
    Then the answer has {"address": "<address>", "label": "Red"}
    When I send GET "/api/dice/<address in lower case>/statistics"
    Then the answer has {"address": "<address>", "rolls": 0}
    When I send DELETE "/api/dice/<address in lower case>"
    Then the answer has {"address": "<address>", "forgotten": true}
    And the server remembers {"label": null} of the die

  @D-beyond-records @D-beyond-statistics @D-beyond-roll
  Scenario Outline: <method> <path> is refused
    Given a server with a simulator
    When I send <method> "<path>" with {"label": "Red"}
    Then the answer is 400 naming "address"

    Examples:
      | method | path                                   |
      | PATCH  | /api/dice/D1-CE-00-00-00-01            |
      | DELETE | /api/dice/D1-CE-00-00-00-01            |
      | GET    | /api/dice/D1-CE-00-00-00-01/statistics |
      | POST   | /api/dice/D1-CE-00-00-00-01/roll       |

  @D-beyond-records @D-beyond-statistics
  Scenario: The code of a die that was never heard
    Then these requests are answered with 404 and code "unknown_device"
      | PATCH /api/dice/D1:CE:FF:FF:FF:FE          | {"label": "Nobody’s"} |
      | DELETE /api/dice/D1:CE:FF:FF:FF:FE         |                       |
      | GET /api/dice/D1:CE:FF:FF:FF:FE/statistics |                       |
    And the message names "D1:CE:FF:FF:FF:FE"

  @D-beyond-records @simulated
  Scenario: A shell that was set is that of later sessions too
    Given a connected die
    When I set {"dice_type": "d12"} of the die
    Then the answer has "dice_type" "d12"
    And the status has "dice_type" "d12"
    When I disconnect the die
    And I connect the die
    Then the status has "dice_type" "d12"

  @D-beyond-rolls @D-beyond-statistics @operator @any-maker
  Scenario: Rolls of several dice are listed, the newest first
    Given 2 connected dice
    And a client of the event stream
    When die 1 rolls 4
    Then each client receives RollStart, then Stable 4
    When die 2 rolls 5
    Then each client receives RollStart, then Stable 5
    When die 1 rolls 6
    Then each client receives RollStart, then Stable 6
    When I disconnect the die
    And I list the rolls
    Then they are 6 of die 1, then 5 of die 2, then 4 of die 1
    When I send GET "/api/rolls?from=<rolled 1>&address=<address 2>"
    Then the answer has roll 2 alone
    When I send GET "/api/rolls?from=<rolled 1>&address=<address>&dice_type=d6"
    Then the answer has rolls 3 and 1 alone
    When I send GET "/api/rolls?from=<rolled 1>&address=<address>&dice_type=d20"
    Then the answer has no roll
    When I send GET "/api/rolls?from=<rolled 2>"
    Then the answer has rolls 3 and 2 alone
    When I send GET "/api/rolls?from=<rolled 1>&address=<address in lower case>&limit=10000&cursor=9007199254740991"
    Then the answer has rolls 3 and 1 alone
    When I send GET "/api/dice/<address>/statistics?from=<rolled 2>"
    Then the answer has "rolls" 1
    When I send GET "/api/dice/<address>/statistics?from=<rolled 3>"
    Then the answer has "rolls" 1
    When I send GET "/api/dice/<address>/statistics?from=<rolled 1>&to=<rolled 3>"
    Then the answer has "rolls" 1
    When I send GET "/api/dice/<address>/statistics?from=<rolled 1>&dice_type=fudge"
    Then the answer has {"dice_type": "fudge", "rolls": 0}
    When I send GET "/api/rolls?from=<rolled 1>&to=<rolled 2>"
    Then the answer has roll 1 alone

  @D-beyond-rolls @D-beyond-statistics @D-beyond-records @D-other-events @simulated
  Scenario: Each end of a roll is stored once, with the type that the die had, and no other event is
    Given a connected die and a client of the event stream
    When I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": true}
    And the die rolls 3, ending tilt
    Then each client receives RollStart, then TiltStable 3
    When the die rolls 4, ending fake
    Then each client receives RollStart, then FakeStable 4
    When the die rolls 5, ending move
    Then each client receives RollStart, then MoveStable 5
    When the die rolls 6
    Then each client receives RollStart, then Stable 6
    When the die is tapped
    And the die is tapped twice
    Then each client receives Tap, then DoubleTap
    When I set {"dice_type": "d8"} of the die
    And the die comes to rest at -64, 3, -2
    Then each client receives Stable 4
    And each client has received nothing more
    And the rolls of the die are, the newest first
      | face | dice_type | ended      |
      | 4    | d8        | Stable     |
      | 6    | d6        | Stable     |
      | 5    | d6        | MoveStable |
      | 4    | d6        | FakeStable |
      | 3    | d6        | TiltStable |
    And the server remembers {"rolls": 5} of the die
    When I send GET "/api/dice/<address>/statistics?dice_type=d6"
    Then the answer has {"rolls": 1, "longest_run": 1}

  @D-beyond-rolls @operator @any-maker
  Scenario: Rolls come in pages, and as NDJSON and CSV
    Given a connected die and a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5
    And I list the rolls
    Then they are 5, then 4, then 3, then 2, then 1
    When I read "/api/rolls?from=<rolled 1>&address=<address>" in pages of 2
    Then the pages have each roll once, in order
    When I send GET "/api/rolls?from=<rolled 1>&address=<address>" accepting "application/x-ndjson"
    Then the answer's content type is "application/x-ndjson"
    And each roll is a line of JSON
    When I send GET "/api/rolls?from=<rolled 1>&address=<address>" accepting "text/csv"
    Then the answer's content type is "text/csv"
    And each roll is a row below "id,time,address,dice_type,face,ended,session_id"

  @D-beyond-rolls
  Scenario Outline: <method> <path> is refused
    When I send <method> "<path>" with {}
    Then the answer is 400 naming "<field>"

    Examples:
      | method | path                              | field     |
      | GET    | /api/rolls?from=2026-11-26        | from      |
      | GET    | /api/rolls?to=2026-11-26T19:30:00 | to        |
      | GET    | /api/rolls?limit=0                | limit     |
      | GET    | /api/rolls?address=D1-CE          | address   |
      | GET    | /api/rolls?limit=10001            | limit     |
      | GET    | /api/rolls?cursor=next            | cursor    |
      | GET    | /api/rolls?cursor=0               | cursor    |
      | GET    | /api/rolls?cursor=9007199254740992 | cursor   |
      | GET    | /api/rolls?dice_type=d7           | dice_type |
      | DELETE | /api/rolls?address=D1-CE          | address   |
      | DELETE | /api/rolls?from=2026-11-26        | from      |
      | DELETE | /api/rolls?to=2026-11-26          | to        |
      | DELETE | /api/rolls                        | address   |

  @D-beyond-rolls @operator @any-maker
  Scenario: Deleted rolls are gone, the others stay
    Given a connected die and a client of the event stream
    When the die rolls each of 1, 2, 3, 4
    And I list the rolls
    And I delete "/api/rolls?address=<address in lower case>&from=<rolled 2>&to=<rolled 4>"
    Then the answer is 200
    And the answer counts the rolls that it deleted
    When I send GET "/api/rolls?from=<rolled 1>&address=<address>"
    Then the answer has rolls 4 and 1 alone

  @D-beyond-rolls @operator @any-maker
  Scenario: Deleting the rolls of a die leaves those of another
    Given 2 connected dice
    And a client of the event stream
    When die 1 rolls 4
    Then each client receives RollStart, then Stable 4
    When die 2 rolls 5
    Then each client receives RollStart, then Stable 5
    When I list the rolls
    And I send DELETE "/api/rolls?address=<address 2>&from=<rolled 1>"
    Then the answer is 200
    When I send GET "/api/rolls?from=<rolled 1>"
    Then the answer has roll 1 alone

  @D-beyond-rolls
  Scenario Outline: GET <path> is answered
    When I send GET "<path>"
    Then the answer is 200

    Examples:
      | path                          |
      | /api/rolls?limit=1            |
      | /api/rolls?cursor=1           |
      | /api/rolls?dice_type=fudge    |

  @D-beyond-statistics @operator @any-maker
  Scenario: The statistics of a die count its faces
    Given a connected die and a client of the event stream
    When the die rolls each of 2, 5, 5, 1
    And I list the rolls
    And I send GET "/api/dice/<address>/statistics?from=<rolled 1>"
    Then the answer is 200
    And the answer has {"address": "<address>", "dice_type": "d6", "degrees": 5, "p": null}
    And the answer counts the faces of these rolls

  @D-beyond-statistics @simulated @any-maker
  Scenario: The statistics say how probable the rolls of a fair die are
    Given a connected die as d4
    And a client of the event stream
    When the die rolls each of 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3
    And I send GET "/api/dice/<address>/statistics"
    Then the answer has {"rolls": 16, "expected": 4, "p": null}
    When the die rolls each of 3, 3, 3
    Then each client receives RollStart and Stable for each roll, in order
    When I send GET "/api/dice/<address>/statistics"
    Then the answer has {"rolls": 19, "expected": 4.75, "p": null}
    When the die rolls 3
    Then each client receives RollStart, then Stable 3
    When I send GET "/api/dice/<address>/statistics"
    Then the answer has {"rolls": 20, "expected": 5, "chi_squared": 10, "mean": 1.75, "longest_run": 10}
    And the answer has a "p" of 0.0186

  @D-beyond-statistics
  Scenario Outline: The statistics with <query> are refused
    When I send GET "/api/dice/D1:CE:FF:FF:FF:FE/statistics?<query>"
    Then the answer is 400 naming "<field>"

    Examples:
      | query           | field     |
      | dice_type=d7    | dice_type |
      | from=2026-11-26 | from      |
      | to=2026-11-26   | to        |

  @D-beyond-records @operator @any-maker
  Scenario: A kept die is connected whenever it is heard, until a client disconnects it
    Given a die
    When I scan for dice
    And I set {"keep_connected": true} of the die
    Then sooner or later the server has connected the die
    When the die goes out of range
    Then sooner or later the server has lost the die
    When the die comes back into range
    Then sooner or later the server has connected the die
    When I disconnect the die
    And I scan for dice
    Then the list holds the die
    And no session is open
    When I set {"keep_connected": true} of the die
    Then sooner or later the server has connected the die

  @D-beyond-records @own-server @operator @any-maker
  Scenario Outline: A server that <ended> remembers names and rolls, and connects kept dice
    Given a server of my own
    And a connected die and a client of the event stream
    When I set {"label": "Red", "keep_connected": true} of the die
    And the die rolls each of 1, 2, 2
    And I list the rolls
    And my server <ended> and is started again
    Then the same rolls are listed
    And the server remembers {"label": "Red", "keep_connected": true} of the die
    And sooner or later the server has connected the die
    When I send GET "/api/dice/<address>/statistics?from=<rolled 1>"
    Then the answer counts the faces of these rolls

    Examples:
      | ended         |
      | ends in order |
      | is killed     |

  @D-beyond-records @own-server @operator @any-maker
  Scenario: A forgotten die loses its name and rolls, and keeps its session
    Given a server of my own
    And a connected die and a client of the event stream
    When I set {"label": "Red", "keep_connected": true} of the die
    And the die rolls each of 1, 2
    And I send DELETE "/api/dice/<address>"
    Then the answer is 200
    And the answer has exactly "address" and "forgotten"
    And the answer has "forgotten" true
    And the session is still open
    And the server remembers {"label": null, "keep_connected": false, "rolls": 0} of the die
    When I set {"label": "Blue"} of the die
    Then the answer is 200

  @D-beyond-rolls @D-beyond-upkeep @own-server
  Scenario: A server without a history serves on
    Given a server of my own with "--history off"
    And a connected die
    When I set {"label": "Red"} of the die
    Then the answer is 200
    When I send GET "/api/rolls"
    Then the answer is 503 with code "history_unavailable"
    When I send DELETE "/api/rolls?address=<address>"
    Then the answer is 503 with code "history_unavailable"
    When I send DELETE "/api/dice/<address>"
    Then the answer is 503 with code "history_unavailable"
    And the server remembers {"label": "Red"} of the die
    When I send GET "/health"
    Then its store has {"state": "off", "problem": null, "waiting_secs": 0}

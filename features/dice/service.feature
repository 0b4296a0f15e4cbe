@dice
Feature: The dice service
  The server before any die is rolled.

  @D-scans-and-controls @D-session-life @kernel
  Scenario: A session from scan to disconnect
    Given a die
    When I scan for dice
    Then the answer is 200
    And the list holds the die
    When I connect the die
    Then the answer is 200
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF0000", "led2": "00FF00"}
    Then the answer is 200
    When I send GET "/api/battery/<session>"
    Then the answer is 200
    When I send GET "/api/status/<session>"
    Then the answer is 200
    When I send POST "/api/calibrate" with {"session_id": "<session>"}
    Then the answer is 200
    When I disconnect the die
    Then the answer is 200

  @D-session-life @D-scans-and-controls @D-paths @D-json @seed
  Scenario Outline: A session is named by <method> <path>
    Given a connected die
    When I send <method> "<path>" with <body>
    Then the request succeeds
    And the answer is JSON, if it has a body

    @D-led
    Examples:
      | method | path     | body                                                            |
      | POST   | /api/led | {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"} |

    @D-battery
    Examples:
      | method | path                   | body |
      | GET    | /api/battery/<session> | {}   |

    @D-status
    Examples:
      | method | path                  | body |
      | GET    | /api/status/<session> | {}   |

    @D-calibrate
    Examples:
      | method | path           | body                        |
      | POST   | /api/calibrate | {"session_id": "<session>"} |

    @D-disconnect
    Examples:
      | method | path            | body                        |
      | POST   | /api/disconnect | {"session_id": "<session>"} |

  @D-listens @own-server
  Scenario: A server without --address listens on every address
    Given a server of my own, without an address
    Then it answers at 127.0.0.1 and at another address of this machine

  @D-listens @program
  Scenario: The default address and port
    When I run "airbench dice --help"
    Then it prints "--address" with the default "0.0.0.0"
    And it prints "--port" with the default "3000"

  @D-paths @kernel
  Scenario Outline: <method> <path> is answered with <status>
    When I send <method> "<path>" with {}
    Then the answer is <status> with code "<code>"

    Examples:
      | method | path            | status | code               |
      | POST   | /api/connect    | 400    | invalid_input      |
      | POST   | /connect        | 404    | unknown_route      |
      | POST   | /api/roll       | 404    | unknown_route      |
      | GET    | /ws             | 426    | upgrade_required   |
      | POST   | /api/ws         | 404    | unknown_route      |
      | GET    | /api/connect    | 405    | method_not_allowed |

  @D-json @kernel
  Scenario: Answers have the content type JSON
    When I send GET "/api/sessions"
    Then the answer is 200
    And the answer's content type is "application/json"

  @D-json
  Scenario: A body of another type is refused
    When I send POST "/api/connect" as "text/plain" with {"address": "D1:CE:00:00:00:01"}
    Then the answer is 415 with code "unsupported_media_type"

  @D-no-login @D-plain-http @kernel
  Scenario: Plain HTTP and WebSocket, without a login
    Given a client of the event stream
    When I send GET "/health"
    Then the answer is 200
    And the answer has "status" "ok"
    And the answer has "adapter" "poweredOn"

  @D-beyond-upkeep @simulated
  Scenario: Health counts sessions, clients and events
    Given servers of a rig
    And a connected die
    And a client of the event stream at "/ws?detail=full"
    When the die is tapped
    And I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": false}
    And the die is tapped
    Then each client receives Tap
    When I send GET "/health"
    Then the answer has {"status": "ok", "adapter": "poweredOn"}
    And the answer has {"sessions": 1, "listeners": 1, "mqtt": "off", "simulator": true}
    And its store has {"state": "ok", "problem": null}
    And the answer has the "seq" and "instance" of the message
    And its pages are those of this server, of a clock server and of the simulation

  @D-beyond-upkeep @simulated
  Scenario: The radio hears dice, and has a link to one
    Given servers of a rig
    And 2 connected dice
    When I send GET "/radios"
    Then the answer has one radio that is up and has a link to each die

  @D-beyond-upkeep
  Scenario: The server identifies its software
    When I send GET "/api/about"
    Then the answer has "name" "airbench dice server"
    And it fits the server's metrics and radios

  @D-beyond-upkeep
  Scenario Outline: The log at <verbose>
    When I set the log to <verbose>
    Then the answer has "verbose" <verbose>
    When I send GET "/log"
    Then the answer has "verbose" <verbose>

    Examples:
      | verbose |
      | 0       |
      | 3       |

  @D-beyond-upkeep
  Scenario Outline: The log at <verbose> is refused
    When I send PUT "/log" with {"verbose": <verbose>}
    Then the answer is 400 naming "verbose"

    Examples:
      | verbose |
      | -1      |
      | 4       |

  @D-plain-http @D-paths @D-ws @seed
  Scenario: REST below /api, and a WebSocket at /ws
    Given a client of the event stream
    When I scan for dice
    Then the request succeeds

  @D-beyond-upkeep
  Scenario: Ready when the adapter is on
    When I send GET "/ready"
    Then the answer is 200

@clock
Feature: The clock service
  The server before any clock is touched.

  @C-serves @C-two-sides @C-scan @C-connect @C-authenticates @C-disconnect @seed @kernel @every-packet
  Scenario: A connection from scan to disconnect
    Given a clock
    When I command {"type": "scan", "duration_secs": 1}
    Then the command succeeds
    When I command "connect"
    Then the command succeeds
    When I command "read_firmware"
    Then the command succeeds
    And sooner or later the clock's "sensors" have a temperature and a humidity
    When I command "disconnect"
    Then the command succeeds

  @C-flag-address @own-server
  Scenario: A server without --address listens on every address
    Given a server of my own, without an address
    Then it answers at 127.0.0.1 and at another address of this machine

  @C-flag-address @C-flag-port @C-flag-verbose @program
  Scenario: The flags and their defaults
    When I run "airbench clock --help"
    Then it prints "--address" with the default "0.0.0.0"
    And it prints "--port" with the default "3000"
    And it prints "--verbose" with the default "0"

  @C-flag-verbose @C-limits @program
  Scenario: A verbosity of 4
    When I run "airbench clock --verbose 4", which fails
    Then it ends with status 2 and one message naming "--verbose"

  @C-health @C-no-login @kernel
  Scenario: Health, without a login
    When I send GET "/health"
    Then the answer is 200
    And the answer has "status" "ok"

  @C-beyond-upkeep @C-health @simulated
  Scenario: Health counts links, clients and events
    Given servers of a rig
    And I know the server's time
    And 2 connected clocks
    And I am connected at "/ws?detail=full&address=<clock>"
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later
    And it is of the clock, of a time since then, and counted by the server
    And sooner or later health counts my connections
    When I send GET "/health"
    Then the answer has {"status": "ok", "adapter": "poweredOn", "clocks": 2, "mqtt": "off"}
    And its store has {"state": "ok", "problem": null}
    And its pages are those of this server, of a dice server and of the simulation

  @C-beyond-upkeep @simulated @adapter
  Scenario: The radio hears clocks, and has a link to each
    Given servers of a rig
    And 2 connected clocks
    When I send GET "/radios"
    Then the answer has one radio that is up and has a link to each clock

  @C-beyond-upkeep
  Scenario: The server identifies its software
    When I send GET "/api/about"
    Then the answer has "name" "airbench clock server"
    And it fits the server's metrics and radios

  @C-beyond-upkeep
  Scenario Outline: The log at <verbose>
    When I set the log to <verbose>
    Then the answer has "verbose" <verbose>
    When I send GET "/log"
    Then the answer has "verbose" <verbose>

    Examples:
      | verbose |
      | 0       |
      | 3       |

  @C-beyond-upkeep
  Scenario Outline: The log at <verbose> is refused
    When I send PUT "/log" with {"verbose": <verbose>}
    Then the answer is 400 naming "verbose"

    Examples:
      | verbose |
      | -1      |
      | 4       |

  @C-beyond-upkeep
  Scenario: The code of a wrong change of the log
    Then these requests are answered with 400 and code "invalid_input"
      | PUT /log | {"verbose": 4} |
    And broken JSON as a body is answered with 400 and code "invalid_json"
      | PUT /log |
    And plain text as a body is answered with 415 and code "unsupported_media_type"
      | PUT /log |
    And 100 KB of JSON as a body is answered with 413 and code "body_too_large"
      | PUT /log |

  @C-beyond-upkeep
  Scenario: Ready when the adapter is on
    When I send GET "/ready"
    Then the answer is 200
    And the answer has "status" "ready"

  @C-path @kernel
  Scenario Outline: The WebSocket is at /ws alone, not at <path>
    When I ask for an upgrade of "<path>"
    Then the upgrade is refused with 404 and JSON

    Examples:
      | path    |
      | /       |
      | /api/ws |
      | /events |

  @C-health @seed
  Scenario: Health succeeds
    When I send GET "/health"
    Then the request succeeds

  @C-path @C-no-login @C-duration @kernel
  Scenario: The WebSocket at /ws
    When I command {"type": "scan", "duration_secs": 1}
    Then the command succeeds

  @C-read-only @seed
  Scenario Outline: <method> fails
    Given a connected clock
    When I send <method> "/api/devices/<clock>/<what>" with {}
    Then the request fails

    Examples:
      | method | what     |
      | PUT    | settings |
      | POST   | alarms   |
      | DELETE | alarms   |

  @C-read-only @kernel
  Scenario Outline: <method> of <path> is refused
    Given a connected clock
    When I send <method> "/api/devices<path>" with {}
    Then the answer is 405 with code "method_not_allowed"

    Examples:
      | method | path              |
      | POST   |                   |
      | PUT    | /<clock>/settings |
      | POST   | /<clock>/alarms   |
      | DELETE | /<clock>/alarms   |

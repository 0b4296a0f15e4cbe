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

  @C-path @C-no-login @kernel
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

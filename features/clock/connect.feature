@clock
Feature: Connecting, authenticating and disconnecting

  @C-scan @C-results
  Scenario: A scan lists the clocks
    Given a clock
    When I command {"type": "scan", "duration_secs": 2}
    Then the command succeeds
    And the list of clocks holds the clock
    And its entry has exactly "address", "name", "rssi" and "advertisement"
    And its advertisement has temperature from -40 to 100 and humidity from 0 to 100

  @C-scan @C-results @simulated @kernel @every-packet
  Scenario: A scan lists what a clock advertises
    Given a clock that measures 21.5 °C and 43.2 %, its battery at 85
    When I command {"type": "scan", "duration_secs": 1}
    Then the command succeeds
    And the list of clocks holds the clock
    And its entry has exactly "address", "name", "rssi" and "advertisement"
    And its entry has "name" "Qingping Alarm Clock"
    And its advertisement is {"temperature": 21.5, "humidity": 43.2, "battery": 85}

  @C-scan @C-other-errors
  Scenario: Eight concurrent scans of a connection, and no ninth
    When I send 9 scans of 2 seconds in one burst
    Then scan nine fails with "a connection may have 8 under way", and the others succeed

  @C-scan @simulated
  Scenario: Old firmware advertises no battery
    Given a clock that advertises no battery
    When I command {"type": "scan", "duration_secs": 1}
    Then its advertisement has "battery" null

  @C-connect @C-results @C-authenticates
  Scenario: A clock that was connected before is not paired again
    Given a connected clock
    When I command "disconnect"
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}

  @C-connect @C-results @C-authenticates @simulated @kernel
  Scenario: The first connect pairs, the next ones do not
    Given a new clock
    When I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": true}
    And the clock is bound to a token
    When I command "disconnect"
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}
    And the clock is bound to the same token

  @C-connect @C-transitions
  Scenario: Connecting twice answers the same
    Given a connected clock
    When I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}

  @C-token-store @kernel
  Scenario: The token is kept for the next connection
    Given a connected clock
    When I command "disconnect"
    And I command "connect"
    And I command "read_settings"
    Then the command succeeds

  @C-token-store @model
  Scenario: The token is the same for the next connection
    Given a connected clock
    Then the clock is bound to a token
    When I command "disconnect"
    And I command "connect"
    Then the clock is bound to the same token

  @C-token-store @own-server
  Scenario Outline: A server that <ended> still knows its clock after a restart
    Given a server of my own
    And a connected clock
    When my server <ended> and is started again
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}
    When I command "read_settings"
    Then the command succeeds

    Examples:
      | ended         |
      | ends in order |
      | is killed     |

  @C-authenticates @C-other-errors @simulated
  Scenario Outline: A clock bound to another token, which answers with <mode>
    Given a clock bound to another token, which answers with <mode>
    When I command "connect"
    Then the command fails with "auth_failed:"
    And the response's error contains "reset"
    And the clock is not connected
    When I command "read_firmware"
    Then the command fails with "device <clock> is not connected"

    Examples:
      | mode    |
      | silence |
      | drop    |
      | reject  |

  @C-authenticates @simulated
  Scenario: A clock is paired again after a factory reset
    Given a clock bound to another token, which answers with reject
    When I command "connect"
    Then the command fails with "auth_failed:"
    When the clock's button is held for 12 seconds
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": true}

  @C-authenticates @operator @destructive
  Scenario: A clock that was reset takes its token again
    Given a connected clock
    When I command "disconnect"
    And the clock's button is held for 12 seconds
    And I command "connect"
    Then the command succeeds
    When I command "read_settings"
    Then the command succeeds

  @C-connect @C-other-errors
  Scenario: An absent clock
    When I command {"type": "connect", "address": "58:2D:34:FF:FF:FE"}
    Then the command fails with "58:2D:34:FF:FF:FE"

  @C-disconnect @C-results @kernel
  Scenario: Disconnecting
    Given a connected clock
    When I command "disconnect"
    Then the result is {"address": "<clock>", "disconnected": true}
    And the clock is not connected

  @C-not-connected @C-ws-errors @seed
  Scenario Outline: <type> fails without a connected clock
    Given a clock
    When I command "<type>"
    Then the command fails

    Examples:
      | type             |
      | disconnect       |
      | sync_time        |
      | read_alarms      |
      | read_settings    |
      | preview_ringtone |
      | read_firmware    |
      | read_battery     |
      | subscribe_events |

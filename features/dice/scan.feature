@dice @any-maker
Feature: Scanning
  POST /api/scan lists the dice that advertise.

  @D-scan @kernel
  Scenario: One element for each die, with the fields of the contract alone
    Given 3 dice
    When I scan for dice
    Then the answer is 200
    And the answer is an array of devices with exactly "address", "name" and "rssi"
    And the list holds each die once

  @D-scan @D-device-address @seed
  Scenario: A scan lists the die by its address, in either case
    Given a die
    When I scan for dice
    Then the request succeeds
    And the list holds the die

  @D-scan
  Scenario: No dice in range
    When I scan for dice
    Then the answer is 200
    And the list holds no die of mine

  @D-device-address @kernel
  Scenario: The address is the die's, colon-separated hex in upper case
    Given a die
    When I scan for dice
    Then the list shows the die with its address

  @D-device-name @seed @kernel
  Scenario: The name is the advertised name
    Given a die
    When I scan for dice
    Then the list shows the die with its name

  @D-device-rssi @seed @kernel
  Scenario: Signal strength is a negative integer
    Given a die
    When I scan for dice
    Then the list shows the die with a negative integer as its rssi

  @D-device-rssi @simulated
  Scenario: The strongest die comes first, and a die of unknown strength last, with null
    Given 4 dice
    And die 1 advertises with a strength that no adapter reports
    And die 2 advertises with -40 dBm
    And die 3 advertises with -60 dBm
    And die 4 advertises with -80 dBm
    When I scan for dice
    Then the list has die 2, then die 3, then die 4, then die 1
    And the list shows die 1 with an rssi of null

  @D-scan
  Scenario: Any body is ignored
    Given a die
    When I send POST "/api/scan" as "text/plain" with not JSON
    Then the answer is 200
    And the list holds the die

  @D-limits
  Scenario Outline: A scan of <secs> seconds is refused
    When I send POST "/api/scan?duration_secs=<secs>"
    Then the answer is 400 naming "duration_secs"

    Examples:
      | secs |
      | 0    |
      | 601  |
      | -1   |
      | long |

  @D-scan @D-limits
  Scenario Outline: A scan of <secs> seconds
    When I send POST "/api/scan?duration_secs=<secs>"
    Then the answer is 200

    Examples:
      | secs |
      | 0.1  |
      | 1    |

  @D-scan @D-limits
  Scenario: A scan of 600 seconds takes longer than one without a duration
    Given a die
    When I begin POST "/api/scan?duration_secs=600"
    And I scan for dice
    Then the list holds the die
    And the request that I began has no answer yet

  @D-scan
  Scenario: Two concurrent scans both succeed
    Given a die
    When I scan for dice twice concurrently
    Then both answers are 200 and hold the die

  @D-states
  Scenario: A connected die does not advertise
    Given a connected die
    When I scan for dice
    Then the list holds no die of mine

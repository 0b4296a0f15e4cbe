@clock
Feature: Firmware, battery and readings

  @C-read-firmware @C-results @C-records @kernel
  Scenario: The firmware version
    Given a connected clock
    When I command "read_firmware"
    Then the result has exactly "address" and "firmware"
    And the result's firmware is a version

  @C-read-firmware @simulated
  Scenario: The firmware version is the clock's
    Given a connected clock
    When I command "read_firmware"
    Then the result is {"address": "<clock>", "firmware": "1.0.1_0130"}

  @C-read-battery @C-results
  Scenario: The battery level and its source
    Given a connected clock
    When I command "read_battery"
    Then the result has exactly "address", "battery", "source" and "heard_at"
    And the result's "battery" is an integer from 0 to 100
    And the result's "source" is one of "advertisement", "gatt"

  @C-read-battery @C-results @simulated @kernel
  Scenario: The battery level is the advertised one
    Given I know the server's time
    And a clock that measures 20.0 °C and 50.0 %, its battery at 42
    When I command {"type": "scan", "duration_secs": 1}
    And I command "connect"
    And I command "read_battery"
    Then the result has "address" "<clock>"
    And the result has "battery" 42
    And the result has "source" "advertisement"
    And the result's "heard_at" is a time since then

  @C-read-battery @simulated
  Scenario: Without an advertised level, the level is from GATT
    Given a clock that advertises no battery
    When I command "connect"
    And I command "read_battery"
    Then the result is {"address": "<clock>", "battery": 99, "source": "gatt", "heard_at": null}

  @C-read-battery @simulated
  Scenario: A notified level is newer than an advertised one
    Given a clock that notifies its battery level, at 64
    When I command "connect"
    And the battery of the clock is down to 63 %
    Then sooner or later the clock's "battery" is {"address": "<clock>", "battery": 63, "source": "gatt", "heard_at": null}

  @C-devices @C-rest-bodies @kernel
  Scenario: The connected devices
    Given a connected clock
    When I send GET "/api/devices"
    Then the answer is 200
    And the answer lists the clock with exactly "address", "name" and "rssi"

  @C-devices @simulated
  Scenario: The record of a connected device
    Given a clock
    And the clock is received with -71 dBm
    When I command "connect"
    And I send GET "/api/devices"
    Then the answer lists the clock as {"address": "<clock>", "name": "Qingping Alarm Clock", "rssi": -71}

  @C-devices @simulated
  Scenario: A clock that comes back under another name
    Given a connected clock that I am subscribed to
    When the clock is renamed "Kitchen"
    Then I receive disconnected with {} sooner or later
    And I receive reconnected with {} sooner or later
    When I send GET "/api/devices"
    Then the answer lists the clock with the name "Kitchen"

  @C-devices
  Scenario: The list has connected devices alone
    Given a clock
    When I send GET "/api/devices"
    Then the answer is 200
    And the answer does not list the clock

  @C-rest-sensors @C-reading @simulated
  Scenario: The latest reading
    Given a connected clock
    When the clock measures -3.25 °C and 81.5 %
    Then sooner or later the clock's "sensors" are {"temperature": -3.25, "humidity": 81.5}

  @C-rest-sensors @C-reading @C-sensor-update @operator
  Scenario: The readings follow the measurements of the clock
    Given a connected clock that I am subscribed to
    When I ask for the clock's "sensors"
    And the clock measures another temperature than the last answer
    Then I receive sensor_update with another temperature than the last answer sooner or later
    And sooner or later the clock's "sensors" have another temperature than the last answer

  @C-rest-sensors @C-reading @kernel
  Scenario: A reading has temperature and humidity, numbers, and nothing else
    Given a connected clock
    When I ask for the clock's "sensors"
    Then the answer is 200
    And the answer has exactly "temperature" and "humidity"
    And both are numbers

  @C-rest-battery @C-rest-bodies @kernel
  Scenario: The battery
    Given a connected clock
    When I ask for the clock's "battery"
    Then the answer is 200
    And the answer is the result of "read_battery"

  @C-rest-firmware @C-rest-bodies @kernel
  Scenario: The firmware
    Given a connected clock
    When I ask for the clock's "firmware"
    Then the answer is 200
    And the answer is the result of "read_firmware"

  @C-rest-alarms @C-rest-bodies @kernel
  Scenario: The alarms
    Given a connected clock
    When I set an alarm with "slot" 4
    And I ask for the clock's "alarms"
    Then the answer is 200
    And the answer is the result of "read_alarms"

  @C-rest-settings @C-rest-bodies @kernel
  Scenario: The settings
    Given a connected clock
    When I ask for the clock's "settings"
    Then the answer is 200
    And the answer is the result of "read_settings"

  @C-rest-sensors @C-reading @seed
  Scenario: A reading has a temperature and a humidity, among other fields
    Given a connected clock
    Then sooner or later the clock's "sensors" have a temperature and a humidity

  @C-rest-address @seed
  Scenario Outline: GET <path> succeeds with a connected clock
    Given a connected clock
    When I send GET "<path>"
    Then the request succeeds

    @C-devices
    Examples:
      | path         |
      | /api/devices |

    @C-rest-battery
    Examples:
      | path                         |
      | /api/devices/<clock>/battery |

    @C-rest-firmware
    Examples:
      | path                          |
      | /api/devices/<clock>/firmware |

    @C-rest-alarms
    Examples:
      | path                        |
      | /api/devices/<clock>/alarms |

    @C-rest-settings
    Examples:
      | path                          |
      | /api/devices/<clock>/settings |

  @C-404 @C-not-connected @seed
  Scenario Outline: GET <what> of a clock that is not connected has the status 404
    Given a clock
    When I send GET "/api/devices/<clock>/<what>"
    Then the answer has the status 404

    Examples:
      | what     |
      | sensors  |
      | battery  |
      | firmware |
      | alarms   |
      | settings |

  @C-400 @C-rest-sensors @C-rest-battery @C-rest-firmware @C-rest-alarms @C-rest-settings @C-beyond-history
  Scenario: The code of wrong input to REST
    Then these requests are answered with 400 and code "invalid_input"
      | GET /api/devices/58-2D/sensors                    |
      | GET /api/devices/58-2D/battery                    |
      | GET /api/devices/58-2D/firmware                   |
      | GET /api/devices/58-2D/alarms                     |
      | GET /api/devices/58-2D/settings                   |
      | GET /api/devices/58:2D:34:FF:FF:FE/history?step=1 |

  @C-400 @C-rest-address @kernel
  Scenario Outline: The address <address> in the path of <what>
    When I send GET "/api/devices/<address>/<what>"
    Then the answer is 400 naming "address"

    Examples:
      | address           | what     |
      | 58:2D:34          | sensors  |
      | clock             | sensors  |
      | 58-2D-34-00-00-01 | sensors  |
      | 58-2D-34-00-00-01 | battery  |
      | 58-2D-34-00-00-01 | firmware |
      | 58-2D-34-00-00-01 | alarms   |
      | 58-2D-34-00-00-01 | settings |
      | 58-2D-34-00-00-01 | history  |

  @C-rest-address @seed
  Scenario: A path whose address has no colons fails
    When I send GET "/api/devices/58-2D-34-00-00-01/sensors"
    Then the request fails

  @C-rest-address
  Scenario Outline: An address in lower case in the path of <what>
    Given a connected clock
    When I send GET "/api/devices/<clock in lower case>/<what>"
    Then the answer is 200

    Examples:
      | what     |
      | sensors  |
      | alarms   |
      | settings |
      | history  |

  @C-rest-address
  Scenario Outline: An address in lower case in the path of <what>, which is answered in upper case
    Given a connected clock
    When I send GET "/api/devices/<clock in lower case>/<what>"
    Then the answer has "address" "<clock>"

    Examples:
      | what     |
      | battery  |
      | firmware |

  @C-500 @operator
  Scenario: A clock that is lost during requests
    Given a connected clock
    When I ask for the clock's "firmware" again and again while the clock goes out of range
    Then the answer is 500
    When the clock comes back into range
    Then sooner or later the server has the clock again

  @C-500 @C-404 @C-disconnected @C-reconnected @C-pushed @C-event-data @operator @seed
  Scenario: A clock that is lost during requests, and comes back
    Given a connected clock that I am subscribed to
    When I ask for the clock's "firmware" again and again while the clock goes out of range
    Then the answer is 404 or 500
    And I receive disconnected with {} sooner or later
    When the clock comes back into range
    Then I receive reconnected with {} sooner or later

  @C-500 @simulated @kernel
  Scenario: A clock that does not answer
    Given a connected clock
    And the clock ignores "read_firmware"
    When I ask for the clock's "firmware"
    Then the answer is 500 with code "answer_timeout"

  @C-other-errors
  Scenario: An unknown route
    When I send GET "/api/alarms"
    Then the answer is 404 with code "unknown_route"

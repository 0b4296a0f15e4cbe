@clock
Feature: Events
  The events that a connection receives when it has subscribed to a clock.

  @C-subscribe @C-results @kernel
  Scenario: Subscribing
    Given a connected clock
    When I command "subscribe_events"
    Then the result is {"address": "<clock>", "subscribed": true}

  @C-sensor-update @C-pushed @C-event-name @C-event-data @C-distinguish @operator @kernel
  Scenario: A new reading
    Given a connected clock that I am subscribed to
    When the clock measures something new
    Then I receive sensor_update with temperature from -40 to 100 and humidity from 0 to 100 sooner or later
    And that message has exactly "event" and "data"

  @C-sensor-update @C-pushed @C-event-name @C-event-data @C-distinguish @operator @seed
  Scenario: A new reading, among other events
    Given a connected clock that I am subscribed to
    When the clock measures something new
    Then I receive sensor_update with the numbers "temperature" and "humidity" sooner or later

  @C-sensor-update @simulated
  Scenario: A new reading is reported to the hundredth
    Given a connected clock that I am subscribed to
    When the clock measures 23.45 °C and 51.5 %
    Then I receive sensor_update with {"temperature": 23.45, "humidity": 51.5} sooner or later
    And I receive that event only once

  @C-pushed
  Scenario: Only connections that subscribed receive events, and each once
    Given a connected clock
    And 2 more clients, of which the first is subscribed to the clock
    And I am subscribed to the clock
    And I am subscribed to the clock
    When the clock is set to another brightness by the second client
    Then each subscribed client receives one ack of "set_brightness"
    And the third client receives no event

  @C-pushed @C-subscribe
  Scenario: A connection receives the events of its own clock alone
    Given 2 connected clocks
    And I am subscribed to the clock
    And a second client that is subscribed to clock 2
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later
    And the second client has received no ack
    When I command {"type": "set_brightness", "address": "<clock 2>", "value": 30}
    Then the second client has received one ack
    And I have received no ack

  @C-beyond-stream
  Scenario: Events in full name the clock, the time and their position
    Given a connected clock
    And I know the server's time
    And I am connected at "/ws?detail=full&address=<clock>"
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later
    And that message has exactly "event", "data", "address", "time", "seq" and "instance"
    And it is of the clock, of a time since then, and counted by the server
    When I command {"type": "read_firmware", "address": "58:2D:34:FF:FF:FE"}
    Then the response has "code" "not_connected"

  @C-beyond-stream
  Scenario Outline: The upgrade of <path> is refused
    When I ask for an upgrade of "<path>"
    Then the upgrade is refused with 400 and JSON
    And the message names "<field>"

    Examples:
      | path                                       | field   |
      | /ws?detail=some                            | detail  |
      | /ws?address=58-2D-34-00-00-01              | address |
      | /ws?since=-1&instance=another              | since   |
      | /ws?since=9007199254740991&instance=another | since  |

  @C-subscribe
  Scenario: Unsubscribing ends the events of a connection alone, until it subscribes again
    Given a connected clock that I am subscribed to
    And a second client that is subscribed to clock 1
    When I command "unsubscribe_events"
    Then the result is {"address": "<clock>", "subscribed": false}
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I have received no ack
    And the second client has received one ack
    When I command "subscribe_events"
    And the clock is set to another brightness by the second client
    Then I have received one ack

  @C-beyond-stream @C-subscribe
  Scenario: Subscribing when the connection is opened
    Given a connected clock
    And I am connected at "/ws?address=<clock>"
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later

  @C-beyond-stream @C-subscribe @C-transitions @kernel
  Scenario: A client that comes back receives the events that it missed
    Given a connected clock
    And I know the newest event of the server
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    And I come back to the events of the clock since that event
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later
    And I receive that event only once
    And the subscription still works

  @C-beyond-stream @C-subscribe
  Scenario Outline: Coming back to another instance after event <since>
    Given a clock
    And I know the server's time
    And I am connected at "/ws?since=<since>&instance=another&address=<clock>"
    Then I learn that event <from> and all later events are missing
    And it is of a time since then, and before the first event of this run of the server

    Examples:
      | since            | from             |
      | 0                | 1                |
      | 41               | 42               |
      | 9007199254740990 | 9007199254740991 |

  @C-beyond-stream
  Scenario: An address in lower case when the connection is opened
    Given a connected clock
    And I am connected at "/ws?address=<clock in lower case>"
    Then the subscription still works

  @C-ack @C-payloads @kernel
  Scenario: An acknowledgement, once
    Given a connected clock that I am subscribed to
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with {"command": "set_brightness", "status": "success"} sooner or later
    And I receive that event only once

  @C-ack @C-event-data @seed
  Scenario: An acknowledgement has a command and a status
    Given a connected clock that I am subscribed to
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then I receive ack with "command" and "status" sooner or later

  @C-ack @simulated
  Scenario: A refused command is acknowledged as a failure
    Given a connected clock that I am subscribed to
    And the clock refuses "set_brightness"
    When I command {"type": "set_brightness", "address": "<clock>", "value": 30}
    Then the command fails with "refused set_brightness"
    And I receive ack with {"command": "set_brightness", "status": "failure"} sooner or later

  @C-battery-level
  Scenario: The battery level, on subscribing
    Given a clock
    When I command {"type": "scan", "duration_secs": 2}
    And I command "connect"
    And I command "subscribe_events"
    Then I receive battery_level with level from 0 to 100 sooner or later

  @C-battery-level @C-payloads @simulated @kernel
  Scenario: The battery level, once on subscribing
    Given a clock that measures 20.0 °C and 50.0 %, its battery at 64
    When I command {"type": "scan", "duration_secs": 1}
    And I command "connect"
    And I command "subscribe_events"
    Then I receive battery_level with {"level": 64} sooner or later
    And I receive that event only once

  @C-battery-level @simulated
  Scenario: The battery level, when it changes
    Given a clock that measures 20.0 °C and 50.0 %, its battery at 64
    When I command {"type": "scan", "duration_secs": 1}
    And I command "connect"
    And I command "subscribe_events"
    Then I receive battery_level with {"level": 64} sooner or later
    When the battery of the clock is down to 63 %
    And I command "disconnect"
    Then I receive battery_level with {"level": 63} sooner or later

  @C-battery-level @simulated
  Scenario: The battery level of a connected clock that notifies it
    Given a clock that notifies its battery level, at 64
    When I command "connect"
    And I command "subscribe_events"
    And the battery of the clock is down to 63 %
    Then I receive battery_level with {"level": 63} sooner or later

  @C-disconnected @C-transitions @kernel
  Scenario: Disconnected, when a client disconnects
    Given a connected clock that I am subscribed to
    When I command "disconnect"
    Then I receive disconnected with {} sooner or later
    And I receive that event only once

  @C-disconnected @C-reconnected @C-transitions @operator
  Scenario: Out of range and back
    Given a connected clock that I am subscribed to
    When the clock goes out of range
    Then I receive disconnected with {} sooner or later
    When the clock comes back into range
    Then I receive reconnected with {} sooner or later
    And the subscription still works

  @C-disconnected @C-reconnected @C-advertisement @C-transitions @fault @simulated @kernel
  Scenario: The link is lost and comes back
    Given a connected clock that I am subscribed to
    When the link of the clock is lost
    Then I receive disconnected with {} sooner or later
    And I receive that event only once
    And I receive reconnected with {} sooner or later
    And I receive that event only once
    And the subscription still works

  @C-advertisement @C-payloads
  Scenario: A subscribed clock without a link still advertises
    Given a clock
    When I command "connect"
    And I command "subscribe_events"
    And I command "disconnect"
    Then I receive advertisement with rssi from -127 to 20 and temperature from -40 to 100 and humidity from 0 to 100 sooner or later

  @C-advertisement @C-payloads @simulated
  Scenario: The advertisements of a subscribed clock without a link are events
    Given a clock that measures 18.5 °C and 61.0 %, its battery at 33
    And the clock is received with -71 dBm
    When I command "connect"
    And I command "subscribe_events"
    And I command "disconnect"
    Then I receive advertisement with {"address": "<clock>", "name": "Qingping Alarm Clock", "rssi": -71, "temperature": 18.5, "humidity": 61, "battery": 33} sooner or later

  @C-not-connected @fault @simulated
  Scenario: A command under way when the link is lost fails immediately
    Given a connected clock
    And the clock ignores "read_firmware"
    When I command "read_firmware" and the link is lost during it
    Then the command fails with "<clock>"

  @fault @simulated @C-transitions
  Scenario: Disconnecting during a link loss ends the reconnecting
    Given a connected clock
    When the clock goes out of range
    And I command "disconnect" as soon as the link is lost
    Then the result is {"address": "<clock>", "disconnected": true}
    When the clock comes back into range
    Then the clock stays not connected

@clock
Feature: Requests and responses
  A JSON message each way, matched by id.

  @C-request-id @C-response-id @C-response-result @C-response-error @C-distinguish @kernel
  Scenario: A success echoes the id, with a result and a null error
    Given a connected clock
    When I send the message {"id": 4711, "command": {"type": "read_firmware", "address": "<clock>"}}
    Then the response has exactly "id", "result" and "error"
    And the response has "id" 4711
    And the response has "error" null
    And the response has no "event"

  @C-path @C-request-id @C-request-command @C-response-id @C-response-result @C-response-error @C-distinguish @seed
  Scenario: A success has the id of its request, and no error
    Given a connected clock
    When I send the message {"id": 4711, "command": {"type": "read_firmware", "address": "<clock>"}}
    Then the command succeeds
    And the response has "id" 4711
    And the response has no "event"

  @C-request-id @C-response-id @C-response-result @C-response-error @C-ws-errors @seed
  Scenario: A failure has the id of its request, and no result
    Given a clock
    When I send the message {"id": 4712, "command": {"type": "read_firmware", "address": "<clock>"}}
    Then the command fails
    And the response has "id" 4712

  @C-request-command @seed
  Scenario Outline: <type> succeeds
    Given a connected clock
    When I command "<type>"
    Then the command succeeds

    @C-sync-time
    Examples:
      | type      |
      | sync_time |

    @C-read-alarms
    Examples:
      | type        |
      | read_alarms |

    @C-read-settings
    Examples:
      | type          |
      | read_settings |

    @C-preview-ringtone
    Examples:
      | type             |
      | preview_ringtone |

    @C-read-firmware
    Examples:
      | type          |
      | read_firmware |

    @C-read-battery
    Examples:
      | type         |
      | read_battery |

    @C-subscribe
    Examples:
      | type             |
      | subscribe_events |

  @C-response-error @C-response-result @C-ws-errors @kernel
  Scenario: A failure echoes the id, with an error and a null result
    Given a clock
    When I send the message {"id": 4712, "command": {"type": "read_firmware", "address": "<clock>"}}
    Then the response has exactly "id", "result" and "error"
    And the response has "id" 4712
    And the response has "result" null
    And the response's error contains "<clock>"

  @C-request-id @C-response-id
  Scenario Outline: The id <id> is echoed
    When I send the message {"id": <id>, "command": {"type": "read_firmware", "address": "58:2D:34:FF:FF:FE"}}
    Then the response has "id" <id>
    When I send the message {"id": <id>, "command": {"type": "unsubscribe_events", "address": "58:2D:34:FF:FF:FE"}}
    Then the command succeeds
    And the response has "id" <id>

    Examples:
      | id                |
      | 0                 |
      | -1                |
      | 4294967297        |
      | 9007199254740991  |
      | -9007199254740991 |

  @C-request-id @C-other-errors @kernel
  Scenario Outline: <what> is answered with the id 0
    When I send the message <message>
    Then the response has "id" 0
    And the response has "result" null
    And the response's error contains "<names>"
    When I command {"type": "scan", "duration_secs": 1}
    Then the command succeeds

    Examples:
      | what             | message                                                    | names |
      | broken JSON      | {"id": 1,                                                  | JSON  |
      | an array         | []                                                         | object |
      | no id            | {"command": {"type": "scan", "duration_secs": 1}}          | id    |
      | an id of text    | {"id": "1", "command": {"type": "scan", "duration_secs": 1}} | id  |
      | a fraction of id | {"id": 1.5, "command": {"type": "scan", "duration_secs": 1}} | id  |

  @C-request-command @C-response-id @C-other-errors @kernel
  Scenario Outline: <what> is answered with its id
    When I send the message {"id": 77, "command": <command>}
    Then the response has "id" 77
    And the response has "result" null
    And the response's error contains "<names>"

    Examples:
      | what            | command                      | names   |
      | no command      | null                         | command |
      | no type         | {}                           | type    |
      | an unknown type | {"type": "dance"}            | type    |
      | a camelCase one | {"type": "readAlarms"}       | type    |
      | a missing field | {"type": "connect"}          | address |

  @C-address @kernel
  Scenario Outline: The address <address>
    When I command {"type": "connect", "address": <address>}
    Then the command fails naming "address"

    Examples:
      | address             |
      | "58:2D:34:00:00"    |
      | "58-2D-34-00-00-01" |
      | 582534              |
      | null                |

  @C-address @seed
  Scenario: An address without colons fails
    When I command {"type": "connect", "address": "58-2D-34-00-00-01"}
    Then the command fails

  @C-address
  Scenario: An address in lower case is answered in upper case
    Given a clock
    When I command {"type": "connect", "address": "<clock in lower case>"}
    Then the command succeeds
    And the result has "address" "<clock>"

  @C-address
  Scenario Outline: <type> refuses a malformed address
    When I command {"type": "<type>", "address": "58-2D-34-00-00-01"<more>}
    Then the command fails naming "address"

    Examples:
      | type               | more                                                                                      |
      | disconnect         |                                                                                           |
      | sync_time          |                                                                                           |
      | read_alarms        |                                                                                           |
      | set_alarm          | , "slot": 1, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false          |
      | change_alarm       | , "slot": 1, "enabled": false                                                             |
      | delete_alarm       | , "slot": 1                                                                               |
      | read_settings      |                                                                                           |
      | write_settings     | , "settings": {"volume": 3}                                                               |
      | set_brightness     | , "value": 50                                                                             |
      | preview_ringtone   |                                                                                           |
      | read_firmware      |                                                                                           |
      | read_battery       |                                                                                           |
      | subscribe_events   |                                                                                           |
      | unsubscribe_events |                                                                                           |
      | upload_ringtone    | , "offset": 0, "data": "gICA", "last": false, "format": "pcm_u8_8k"                       |
      | set_label          | , "label": "Kitchen"                                                                      |
      | keep_connected     | , "keep_connected": false                                                                 |
      | forget             |                                                                                           |

  @C-address
  Scenario Outline: <type> takes an address in lower case, and answers with it in upper case
    Given a connected clock
    When I command {"type": "<type>", "address": "<clock in lower case>"<more>}
    Then the result has "address" "<clock>"

    Examples:
      | type               | more                                                                |
      | disconnect         |                                                                     |
      | sync_time          |                                                                     |
      | delete_alarm       | , "slot": 1                                                         |
      | set_brightness     | , "value": 50                                                       |
      | preview_ringtone   |                                                                     |
      | read_firmware      |                                                                     |
      | read_battery       |                                                                     |
      | subscribe_events   |                                                                     |
      | unsubscribe_events |                                                                     |
      | upload_ringtone    | , "offset": 0, "data": "gICA", "last": false, "format": "pcm_u8_8k" |

    @simulated
    Examples:
      | type               | more                                                                |
      | set_label          | , "label": "Kitchen"                                                |
      | keep_connected     | , "keep_connected": false                                           |
      | forget             |                                                                     |

  @C-address
  Scenario Outline: <type> takes an address in lower case
    Given a connected clock
    When I set an alarm with "slot" 1
    And I command {"type": "<type>", "address": "<clock in lower case>"<more>}
    Then the command succeeds

    Examples:
      | type           | more                                                                             |
      | read_alarms    |                                                                                  |
      | set_alarm      | , "slot": 1, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false |
      | change_alarm   | , "slot": 1, "enabled": false                                                    |
      | read_settings  |                                                                                  |
      | write_settings | , "settings": {"volume": 3}                                                      |

  @C-other-errors @C-limits @C-scan @C-connect @C-disconnect @C-sync-time @C-read-alarms @C-set-alarm @C-beyond-alarms
  @C-delete-alarm @C-read-settings @C-write-settings @C-set-brightness @C-preview-ringtone @C-read-firmware
  @C-read-battery @C-subscribe @C-beyond-upload @C-beyond-records
  Scenario: The code of wrong input
    Given I am connected at "/ws?detail=full"
    Then these commands fail with the code "invalid_input"
      | {"type": "scan", "duration_secs": 0}                                                                                            |
      | {"type": "connect", "address": "58-2D"}                                                                                         |
      | {"type": "disconnect", "address": "58-2D"}                                                                                      |
      | {"type": "sync_time", "address": "58-2D"}                                                                                       |
      | {"type": "read_alarms", "address": "58-2D"}                                                                                     |
      | {"type": "set_alarm", "address": "58:2D:34:FF:FF:FE", "slot": 1}                                                                |
      | {"type": "change_alarm", "address": "58:2D:34:FF:FF:FE", "slot": 16}                                                            |
      | {"type": "delete_alarm", "address": "58:2D:34:FF:FF:FE", "slot": 16}                                                            |
      | {"type": "read_settings", "address": "58-2D"}                                                                                   |
      | {"type": "write_settings", "address": "58:2D:34:FF:FF:FE", "settings": {"language": "de"}}                                      |
      | {"type": "set_brightness", "address": "58:2D:34:FF:FF:FE", "value": 155}                                                        |
      | {"type": "preview_ringtone", "address": "58:2D:34:FF:FF:FE", "volume": 6}                                                       |
      | {"type": "read_firmware", "address": "58-2D"}                                                                                   |
      | {"type": "read_battery", "address": "58-2D"}                                                                                    |
      | {"type": "subscribe_events", "address": "58-2D"}                                                                                |
      | {"type": "unsubscribe_events", "address": "58-2D"}                                                                              |
      | {"type": "upload_ringtone", "address": "58:2D:34:FF:FF:FE", "offset": -1, "data": "gICA", "last": false, "format": "pcm_u8_8k"} |
      | {"type": "set_label", "address": "58:2D:34:FF:FF:FE", "label": ""}                                                              |
      | {"type": "keep_connected", "address": "58:2D:34:FF:FF:FE"}                                                                      |
      | {"type": "forget", "address": "58-2D"}                                                                                          |

  @kernel @C-not-connected @C-ws-errors @C-404 @C-disconnect @C-sync-time @C-read-alarms @C-set-alarm @C-beyond-alarms
  @C-delete-alarm @C-read-settings @C-write-settings @C-set-brightness @C-preview-ringtone @C-read-firmware
  @C-read-battery @C-subscribe @C-beyond-upload @C-beyond-records @C-rest-sensors @C-rest-battery @C-rest-firmware
  @C-rest-alarms @C-rest-settings
  Scenario: The code of a clock that is not connected
    Given a clock
    And I am connected at "/ws?detail=full"
    Then these commands fail with the code "not_connected", naming "device <clock> is not connected"
      | {"type": "disconnect", "address": "<clock>"}                                                                         |
      | {"type": "sync_time", "address": "<clock>"}                                                                          |
      | {"type": "read_alarms", "address": "<clock>"}                                                                        |
      | {"type": "set_alarm", "address": "<clock>", "slot": 1, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false} |
      | {"type": "change_alarm", "address": "<clock>", "slot": 1, "enabled": false}                                          |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 1}                                                            |
      | {"type": "read_settings", "address": "<clock>"}                                                                      |
      | {"type": "write_settings", "address": "<clock>", "settings": {"volume": 3}}                                          |
      | {"type": "set_brightness", "address": "<clock>", "value": 50}                                                        |
      | {"type": "preview_ringtone", "address": "<clock>"}                                                                   |
      | {"type": "read_firmware", "address": "<clock>"}                                                                      |
      | {"type": "read_battery", "address": "<clock>"}                                                                       |
      | {"type": "subscribe_events", "address": "<clock>"}                                                                   |
      | {"type": "upload_ringtone", "address": "<clock>", "offset": 0, "data": "gICA", "last": false, "format": "pcm_u8_8k"} |
    And these commands fail with the code "not_connected", naming "device 58:2D:34:FF:FF:FE is not connected"
      | {"type": "set_label", "address": "58:2D:34:FF:FF:FE", "label": "Nobody’s"}         |
      | {"type": "keep_connected", "address": "58:2D:34:FF:FF:FE", "keep_connected": true} |
      | {"type": "forget", "address": "58:2D:34:FF:FF:FE"}                                 |
    And these requests are answered with 404 and code "not_connected", naming "<clock>"
      | GET /api/devices/<clock>/sensors  |
      | GET /api/devices/<clock>/battery  |
      | GET /api/devices/<clock>/firmware |
      | GET /api/devices/<clock>/alarms   |
      | GET /api/devices/<clock>/settings |

  @C-other-errors @C-500 @C-sync-time @C-read-alarms @C-set-alarm @C-beyond-alarms @C-delete-alarm @C-read-settings
  @C-write-settings @C-set-brightness @C-preview-ringtone @C-read-firmware @C-rest-firmware @C-rest-alarms
  @C-rest-settings @C-beyond-upload @simulated
  Scenario: The code of a command that the clock refuses
    Given a connected clock
    And I am connected at "/ws?detail=full"
    When I set an alarm with "slot" 1
    And the clock refuses "set_time, read_alarms, set_alarm, delete_alarm, read_settings, write_settings, set_brightness, preview_ringtone, read_firmware, audio_init"
    Then these commands fail with the code "command_refused"
      | {"type": "sync_time", "address": "<clock>"}                                 |
      | {"type": "read_alarms", "address": "<clock>"}                               |
      | {"type": "set_alarm", "address": "<clock>", "slot": 1, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false} |
      | {"type": "change_alarm", "address": "<clock>", "slot": 1, "enabled": false} |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 1}                   |
      | {"type": "read_settings", "address": "<clock>"}                             |
      | {"type": "write_settings", "address": "<clock>", "settings": {"volume": 3}} |
      | {"type": "set_brightness", "address": "<clock>", "value": 50}               |
      | {"type": "preview_ringtone", "address": "<clock>"}                          |
      | {"type": "read_firmware", "address": "<clock>"}                             |
      | {"type": "upload_ringtone", "address": "<clock>", "offset": 0, "data": "gICA", "last": true, "format": "pcm_u8_8k"} |
    And these requests are answered with 500 and code "command_refused"
      | GET /api/devices/<clock>/firmware |
      | GET /api/devices/<clock>/alarms   |
      | GET /api/devices/<clock>/settings |

  @C-limits
  Scenario Outline: <command> is refused
    Given a connected clock
    When I command <command>
    Then the command fails naming "<field>"

    @C-duration @kernel
    Examples:
      | command                                                                | field         |
      | {"type": "scan", "duration_secs": 601}                                 | duration_secs |

    @C-duration
    Examples:
      | command                                                                | field         |
      | {"type": "scan", "duration_secs": 0}                                   | duration_secs |
      | {"type": "scan", "duration_secs": "5"}                                 | duration_secs |

    @C-slot @kernel
    Examples:
      | command                                                                | field         |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 16}             | slot          |

    @C-slot
    Examples:
      | command                                                                | field         |
      | {"type": "delete_alarm", "address": "<clock>", "slot": -1}             | slot          |
      | {"type": "delete_alarm", "address": "<clock>", "slot": "3"}            | slot          |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 1.5}            | slot          |
      | {"type": "set_alarm", "address": "<clock>", "slot": 16, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false} | slot |
      | {"type": "set_alarm", "address": "<clock>", "slot": -1, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false} | slot |
      | {"type": "change_alarm", "address": "<clock>", "slot": 16, "enabled": false} | from 0 to 15 |
      | {"type": "change_alarm", "address": "<clock>", "slot": -1, "enabled": false} | from 0 to 15 |

    @C-brightness @kernel
    Examples:
      | command                                                                | field         |
      | {"type": "set_brightness", "address": "<clock>", "value": 155}         | value         |

    @C-brightness
    Examples:
      | command                                                                | field         |
      | {"type": "set_brightness", "address": "<clock>", "value": 5}           | value         |
      | {"type": "set_brightness", "address": "<clock>", "value": 160}         | value         |
      | {"type": "set_brightness", "address": "<clock>", "value": -10}         | value         |

    @C-preview-ringtone
    Examples:
      | command                                                                | field         |
      | {"type": "preview_ringtone", "address": "<clock>", "volume": 6}        | volume        |
      | {"type": "preview_ringtone", "address": "<clock>", "volume": 0}        | volume        |

  @C-write-settings @C-limits
  Scenario Outline: The setting <field> is not <value>
    Given a connected clock
    When I command {"type": "write_settings", "address": "<clock>", "settings": {"<field>": <value>}}
    Then the command fails naming "<field>"

    Examples:
      | field                   | value                              |
      | volume                  | 0                                  |
      | volume                  | 6                                  |
      | language                | "de"                               |
      | time_format             | "25h"                              |
      | temperature_unit        | "K"                                |
      | alarms_enabled          | 1                                  |
      | timezone_offset_minutes | -726                               |
      | timezone_offset_minutes | 7                                  |
      | timezone_offset_minutes | 846                                |
      | timezone                | "Mars/Olympus"                     |
      | timezone                | "UTC", "timezone_offset_minutes": 0 |
      | screen_light_secs       | -1                                 |
      | screen_light_secs       | 31                                 |
      | brightness              | -10                                |
      | brightness              | 75                                 |
      | brightness              | 160                                |
      | night_brightness        | -10                                |
      | night_brightness        | 75                                 |
      | night_brightness        | 160                                |
      | night_start             | "24:00"                            |
      | night_end               | "6:15"                             |
      | ringtone                | "x"                                |

  @C-write-settings @C-limits
  Scenario Outline: Settings without a change are refused: <settings>
    Given a connected clock
    When I command {"type": "write_settings", "address": "<clock>", "settings": <settings>}
    Then the command fails naming "settings"

    Examples:
      | settings                       |
      | {}                             |
      | {"alarm_volume": 3}            |
      | {"volume": null, "ringtone": null} |

  @C-write-settings @C-limits
  Scenario: A time zone that the clock cannot hold is refused with the nearest offsets
    Given a connected clock
    When I command {"type": "write_settings", "address": "<clock>", "settings": {"timezone": "Asia/Kathmandu"}}
    Then the command fails with "342 and 348"

  @C-duration @C-limits
  Scenario: A scan of 600 seconds is under way when one of 601 seconds has been refused
    When I begin a scan of 600 seconds
    And I command {"type": "scan", "duration_secs": 601}
    Then the command fails naming "duration_secs"
    And the scan has not been answered

  @C-limits @seed
  Scenario Outline: <command> fails
    Given a connected clock
    When I command <command>
    Then the command fails

    @C-duration
    Examples:
      | command                                |
      | {"type": "scan", "duration_secs": 0}   |
      | {"type": "scan", "duration_secs": 601} |

    @C-slot
    Examples:
      | command                                                    |
      | {"type": "delete_alarm", "address": "<clock>", "slot": -1} |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 16} |

    @C-brightness
    Examples:
      | command                                                        |
      | {"type": "set_brightness", "address": "<clock>", "value": -10} |
      | {"type": "set_brightness", "address": "<clock>", "value": 5}   |
      | {"type": "set_brightness", "address": "<clock>", "value": 155} |
      | {"type": "set_brightness", "address": "<clock>", "value": 160} |

  @C-set-brightness @C-brightness @C-limits @seed
  Scenario Outline: A brightness of <value> succeeds
    Given a connected clock
    When I command {"type": "set_brightness", "address": "<clock>", "value": <value>}
    Then the command succeeds

    Examples:
      | value |
      | 0     |
      | 10    |
      | 150   |

  @C-set-alarm @C-limits
  Scenario Outline: An alarm with <field> <value> is refused
    Given a connected clock
    When I set an alarm with "<field>" <value>
    Then the command fails naming "<field>"

    Examples:
      | field       | value    |
      | slot        | 16       |
      | time        | "24:00"  |
      | time        | "7:30"   |
      | time        | 730      |
      | repeat_mask | 128      |
      | repeat_mask | -1       |
      | enabled     | "true"   |
      | snooze      | 1        |

  @C-limits @simulated
  Scenario Outline: A refused command does not reach the clock: <command>
    Given a connected clock
    When I command <command>
    Then the command fails naming "<field>"
    And the clock received nothing more

    Examples:
      | command                                                            | field |
      | {"type": "delete_alarm", "address": "<clock>", "slot": 16}         | slot  |
      | {"type": "set_brightness", "address": "<clock>", "value": 155}     | value |
      | {"type": "write_settings", "address": "<clock>", "settings": {"language": "de"}} | language |

  @C-concurrent @seed
  Scenario: A command during a scan is answered before the scan
    Given a connected clock
    When I command a scan, and "read_firmware" during it
    Then "read_firmware" was answered before the scan

  @C-concurrent
  Scenario: A burst of commands over two clocks
    Given 2 connected clocks
    When I send 20 commands "read_firmware" in one burst, over the clocks in turn
    Then there are 20 responses, one for each id
    And the responses of clocks 1 and 2 are successes

  @C-concurrent
  Scenario: Two connections that use the same ids get their own responses
    Given a connected clock
    When two clients send 5 commands with the same ids, one "read_firmware", the other "read_battery"
    Then each result of the first has "firmware", of the second "battery", and no response is left

  @C-concurrent @simulated
  Scenario: A burst of fifty commands over three clocks, one of them mute
    Given 3 connected clocks
    And clock 2 ignores "read_firmware"
    When I send 50 commands "read_firmware" in one burst, over the clocks in turn
    Then there are 50 responses, one for each id
    And the responses of clocks 1 and 3 are successes
    And the responses of clock 2 are failures with a reason

  @C-concurrent @simulated @kernel
  Scenario: A slow command does not keep a quick one waiting
    Given 2 connected clocks
    And clock 1 takes 3 seconds to answer
    When I send "read_firmware" to clock 1 and then to clock 2
    Then clock 2 is answered first

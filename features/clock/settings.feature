@clock
Feature: Settings, brightness and ringtone

  @C-read-settings @C-records @C-results @kernel
  Scenario: The settings record
    Given a connected clock
    When I command "read_settings"
    Then the command succeeds
    And the result is a settings record

  @C-read-settings @model
  Scenario: The settings are the clock's
    Given a connected clock
    When I command "read_settings"
    Then the result is the "settings" of the clock

  @C-write-settings @C-results @kernel
  Scenario: Settings that were read can be written back
    Given a connected clock
    When I command "read_settings"
    And I write the settings that I read
    Then the result is a settings record
    And the result is the settings that I read

  @C-write-settings @model
  Scenario: Settings that were read can be written back, byte for byte
    Given a connected clock
    When I command "read_settings"
    And I write the settings that I read
    Then the result is the "settings" of the clock
    And the clock's record is byte for byte the same

  @C-read-settings @C-write-settings @C-records @simulated
  Scenario: Unusual settings are read and written back unchanged
    Given a connected clock that holds the record "09580201000fa5193dff00010100fdc366a5"
    When I command "read_settings"
    Then the result is a settings record
    And the result has "volume" 9
    And the result has "night_start" "25:61"
    And the result has "night_end" "255:00"
    When I write the settings that I read
    Then the result is the settings that I read
    And the clock's record is byte for byte the same
    When I write the setting "language" "zh"
    Then the result has "language" "zh"
    And only "language" has changed in the clock's settings

  @C-write-settings @C-records
  Scenario Outline: Writing <field> changes that field alone
    Given a connected clock
    When I write the setting "<field>" <value>
    Then the result has "<field>" <value>
    And only "<field>" has changed in the clock's settings

    Examples:
      | field                   | value      |
      | volume                  | 1          |
      | volume                  | 5          |
      | language                | "zh"       |
      | time_format             | "12h"      |
      | temperature_unit        | "F"        |
      | alarms_enabled          | false      |
      | timezone_offset_minutes | -720       |
      | timezone_offset_minutes | 840        |
      | screen_light_secs       | 0          |
      | screen_light_secs       | 30         |
      | brightness              | 0          |
      | brightness              | 150        |
      | night_brightness        | 0          |
      | night_brightness        | 150        |
      | night_mode_enabled      | true       |
      | night_mode_enabled      | false      |
      | night_start             | "21:45"    |
      | night_end               | "06:15"    |
      | ringtone                | "ea2d4c02" |

  @C-write-settings
  Scenario: A setting of null counts as omitted
    Given a connected clock
    When I command "read_settings"
    And I write the settings that I read, with null for "night_start"
    Then the result is the settings that I read

  @C-write-settings @C-read-settings @C-rest-settings @C-beyond-records @simulated
  Scenario: A clock follows a time zone until it gets an offset
    Given a connected clock
    When I write the setting "timezone" "Asia/Tokyo"
    Then the result has {"timezone": "Asia/Tokyo", "timezone_offset_minutes": 540}
    And the server remembers {"timezone": "Asia/Tokyo"} of the clock
    When I ask for the clock's "settings"
    Then the answer has {"timezone": "Asia/Tokyo", "timezone_offset_minutes": 540}
    When I command "disconnect"
    And the clock's button is held for 12 seconds
    And I command "connect"
    And I command "read_settings"
    Then the result has {"timezone": "Asia/Tokyo", "timezone_offset_minutes": 540}
    When I write the setting "timezone_offset_minutes" -180
    Then the result has "timezone" null
    When I write the setting "timezone" "Asia/Tokyo"
    And I write the setting "timezone" null
    Then the result has {"timezone": null, "timezone_offset_minutes": 540}
    And the server remembers {"timezone": null} of the clock
    When I command "read_settings"
    Then the result has {"timezone": null, "timezone_offset_minutes": 540}

  @own-server
  Scenario: A server that is started again keeps the time zone of its clock
    Given a server of my own
    And a connected clock
    When I write the setting "timezone" "Asia/Tokyo"
    And my server ends in order and is started again
    And I command "connect"
    And I command "read_settings"
    Then the result has "timezone" "Asia/Tokyo"

  @C-set-brightness @C-brightness @C-limits @C-results @kernel
  Scenario Outline: A brightness of <value> applies immediately
    Given a connected clock
    When I command {"type": "set_brightness", "address": "<clock>", "value": <value>}
    Then the result is {"address": "<clock>", "brightness": <value>}

    Examples:
      | value |
      | 0     |
      | 70    |
      | 150   |

  @C-set-brightness @model
  Scenario: The display shows the brightness
    Given a connected clock
    When I command {"type": "set_brightness", "address": "<clock>", "value": 70}
    Then the clock's "brightness_now" is 70

  @C-preview-ringtone @C-results @kernel
  Scenario Outline: A preview <how>
    Given a connected clock
    When I command <command>
    Then the result is {"address": "<clock>", "previewing": true}

    Examples:
      | how           | command                                                         |
      | as it is      | {"type": "preview_ringtone", "address": "<clock>"}              |
      | at a volume   | {"type": "preview_ringtone", "address": "<clock>", "volume": 5} |
      | at null       | {"type": "preview_ringtone", "address": "<clock>", "volume": null} |

  @C-preview-ringtone @simulated
  Scenario: The volume of a preview is for this preview
    Given a connected clock
    And I listen to the clock
    When I write the setting "volume" 4
    And I command {"type": "preview_ringtone", "address": "<clock>", "volume": 1}
    Then the clock plays a preview at volume 1
    When I command {"type": "preview_ringtone", "address": "<clock>"}
    Then the clock plays a preview at volume 4
    When I command {"type": "preview_ringtone", "address": "<clock>", "volume": 5}
    Then the clock plays a preview at volume 5
    When I command {"type": "preview_ringtone", "address": "<clock>", "volume": null}
    Then the clock plays a preview at volume 4

  @C-preview-ringtone @model
  Scenario: The clock receives a preview
    Given a connected clock
    When I command "preview_ringtone"
    Then the clock received "preview_ringtone"

  @C-beyond-upload @model
  Scenario: A ringtone of 90 KB, while another clock responds immediately
    Given 2 connected clocks
    And I am subscribed to the clock
    When I upload a ringtone of 90000 bytes, reading the firmware of clock 2 during it
    Then clock 2 was answered before the upload ended
    And I received upload_progress events up to the total
    And the clock plays the new tone

  @C-beyond-upload @model
  Scenario: The same tone twice alternates the slots
    Given a connected clock
    When I upload a ringtone of 2000 bytes
    Then the result is {"address": "<clock>", "received": 2000, "ringtone": "deaddead"}
    When I upload a ringtone of 2000 bytes
    Then the result is {"address": "<clock>", "received": 2000, "ringtone": "beefbeef"}
    And the clock played another slot after each upload

  @C-beyond-upload
  Scenario: The response to a piece counts the bytes
    Given a connected clock
    When I command {"type": "upload_ringtone", "address": "<clock>", "offset": 0, "data": "gICA", "last": false, "format": "pcm_u8_8k"}
    Then the result is {"address": "<clock>", "received": 3, "ringtone": null}
    When I command {"type": "upload_ringtone", "address": "<clock>", "offset": 3, "data": "gICAgA==", "last": false}
    Then the result is {"address": "<clock>", "received": 7, "ringtone": null}
    When I command {"type": "upload_ringtone", "address": "<clock>", "offset": 6, "data": "gICA", "last": false}
    Then the command fails naming "offset"

  @C-beyond-upload
  Scenario Outline: A piece with <what> is refused
    Given a connected clock
    When I command {"type": "upload_ringtone", "address": "<clock>", "offset": <offset>, "data": <data>, "last": <last>, "format": <format>}
    Then the command fails naming "command.<field>"

    Examples:
      | what                  | offset | data      | last  | format      | field  |
      | an offset of -1       | -1     | "gICA"    | false | "pcm_u8_8k" | offset |
      | data without padding  | 0      | "gICAgA"  | false | "pcm_u8_8k" | data   |
      | data that is a number | 0      | 0         | false | "pcm_u8_8k" | data   |
      | an unknown format     | 0      | "gICA"    | false | "mp3"       | format |
      | a last of text        | 0      | "gICA"    | "yes" | "pcm_u8_8k" | last   |

  @C-beyond-upload
  Scenario Outline: A piece of <bytes> bytes is <how>
    Given a connected clock
    When I upload a piece of <bytes> bytes
    Then <outcome>

    Examples:
      | bytes | how     | outcome                                                                   |
      | 32768 | taken   | the result is {"address": "<clock>", "received": 32768, "ringtone": null} |
      | 32769 | refused | the command fails naming "data"                                           |

  @C-beyond-upload @model
  Scenario: A WAV file is converted
    Given a connected clock
    When I upload one second of a WAV of 44100 Hz, 16 bits, stereo
    Then the clock plays about 8000 bytes of unsigned 8-bit sound

  @C-beyond-upload @model
  Scenario: A WAV file of more channels than 8 is refused by its header
    Given a connected clock
    When I upload a WAV of 2720 channels
    Then the command fails with "channels of the WAV must be 1 to 8, got 2720"
    And the clock plays its old tone

  @C-beyond-upload @model
  Scenario: A truncated WAV file is refused
    Given a connected clock
    When I upload a truncated WAV
    Then the command fails naming "WAV"
    And the clock plays its old tone

  @C-beyond-upload @simulated @fault
  Scenario: A link lost in the middle of an upload leaves the old tone
    Given a connected clock
    When I upload a ringtone of 60000 bytes and the link is lost in the middle
    Then the command fails with "<clock>"
    And the clock plays its old tone

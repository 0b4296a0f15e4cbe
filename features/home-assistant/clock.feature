@clock @own-server
Feature: Clocks in Home Assistant
  Home Assistant finds the clocks of a server with --home-assistant.

  Scenario: A clock is found with all its entities
    Given a server of my own on a broker
    And a connected clock without alarms
    Then Home Assistant finds the clock with
      | platform | name             |
      | sensor   | Temperature      |
      | sensor   | Humidity         |
      | sensor   | Battery          |
      | sensor   | Signal           |
      | sensor   | Next alarm       |
      | number   | Volume           |
      | number   | Brightness       |
      | number   | Night brightness |
      | number   | Screen light     |
      | select   | Language         |
      | select   | Time format      |
      | select   | Temperature unit |
      | switch   | Alarms           |
      | switch   | Night mode       |
      | select   | Time zone        |
      | button   | Synchronise time |
      | button   | Preview ringtone |
    And Home Assistant finds the time "Night start" by a description of its own
    And Home Assistant finds the time "Night end" by a description of its own

  Scenario: An alarm is switched off
    Given a server of my own on a broker
    And a connected clock without alarms
    When I command {"type": "set_alarm", "address": "<clock>", "slot": 3, "time": "07:30", "repeat_mask": 31, "enabled": true, "snooze": false}
    Then the command succeeds
    When Home Assistant switches "Alarm 4" off
    Then the result on the broker has "command" "change_alarm"
    And the broker retains the state of the clock with "alarms" [{"slot": 3, "time": "07:30", "repeat_mask": 31, "enabled": false, "snooze": false}]

  Scenario: The time is synchronised
    Given a server of my own on a broker
    And a connected clock
    When Home Assistant presses "Synchronise time"
    Then the result on the broker has "command" "sync_time"

  Scenario: A disconnected clock is removed
    Given a server of my own on a broker
    And a connected clock
    And Home Assistant has found the clock
    When I command "disconnect"
    Then the command succeeds
    And Home Assistant removes the clock

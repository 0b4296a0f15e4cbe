@clock
Feature: Time and alarms

  @C-sync-time @C-results
  Scenario: The time is in UTC
    Given a connected clock
    And I know the server's time
    When I command "sync_time"
    Then the result has exactly "address" and "time"
    And the result has "address" "<clock>"
    And the result's "time" is a time since then

  @C-sync-time @simulated @kernel
  Scenario: A wrong clock is set
    Given a clock whose time is 2001-01-01T00:00:00Z
    And I know the server's time
    When I command "connect"
    And I command "sync_time"
    Then the result's "time" is a time since then
    And the clock's time is no earlier than the result's

  @C-set-alarm @C-alarm @C-records @C-results @kernel
  Scenario: Setting an alarm
    Given a connected clock without alarms
    When I command {"type": "set_alarm", "address": "<clock>", "slot": 3, "time": "07:30", "repeat_mask": 31, "enabled": true, "snooze": false}
    Then the result is {"slot": 3, "time": "07:30", "repeat_mask": 31, "enabled": true, "snooze": false}
    And the clock's alarms are now [{"slot": 3, "time": "07:30", "repeat_mask": 31, "enabled": true, "snooze": false}]

  @C-set-alarm @C-alarm
  Scenario: The time may be an object
    Given a connected clock
    When I set an alarm with "time" {"hour": 23, "minute": 5}
    Then the result has "time" "23:05"

  @C-beyond-alarms
  Scenario: A change of an alarm keeps the omitted fields
    Given a connected clock without alarms
    When I set an alarm with "slot" 3
    And I command {"type": "change_alarm", "address": "<clock>", "slot": 3, "enabled": false, "days": {"saturday": true, "sunday": true}}
    Then the result is {"slot": 3, "time": "07:30", "repeat_mask": 96, "enabled": false, "snooze": false}
    And the clock's alarms are now [{"slot": 3, "time": "07:30", "repeat_mask": 96, "enabled": false, "snooze": false}]

  @C-beyond-alarms @C-slot
  Scenario: A change of an alarm may name all fields and days
    Given a connected clock without alarms
    When I command {"type": "set_alarm", "address": "<clock>", "slot": 3, "time": "07:30", "repeat_mask": 42, "enabled": true, "snooze": false}
    And I command {"type": "change_alarm", "address": "<clock>", "slot": 3, "time": "23:59", "enabled": false, "snooze": true, "days": {"monday": true, "tuesday": false, "wednesday": true, "thursday": false, "friday": true, "saturday": false, "sunday": true}}
    Then the result is {"slot": 3, "time": "23:59", "repeat_mask": 85, "enabled": false, "snooze": true}
    And the clock's alarms are now [{"slot": 3, "time": "23:59", "repeat_mask": 85, "enabled": false, "snooze": true}]

  @C-beyond-alarms
  Scenario: A change of an alarm to another form of time is refused
    Given a connected clock
    When I set an alarm with "slot" 3
    And I command {"type": "change_alarm", "address": "<clock>", "slot": 3, "time": "24:00"}
    Then the command fails naming "time"

  @C-beyond-alarms @C-slot @C-delete-alarm
  Scenario Outline: Slot <slot> cannot be changed while it is empty, nor when its alarm is deleted
    Given a connected clock without alarms
    When I command {"type": "change_alarm", "address": "<clock>", "slot": <slot>, "enabled": false}
    Then the command fails with "slot <slot> of clock <clock> has no alarm: set_alarm sets one"
    When I set an alarm with "slot" <slot>
    And I command {"type": "delete_alarm", "address": "<clock>", "slot": <slot>}
    And I command {"type": "change_alarm", "address": "<clock>", "slot": <slot>, "enabled": false}
    Then the command fails with "slot <slot> of clock <clock> has no alarm: set_alarm sets one"

    Examples:
      | slot |
      | 0    |
      | 15   |

  @C-read-alarms @C-set-alarm @C-records @C-results @kernel
  Scenario: Reading lists the alarms in the order of their slots
    Given a connected clock without alarms
    When I command {"type": "set_alarm", "address": "<clock>", "slot": 15, "time": "00:00", "repeat_mask": 0, "enabled": false, "snooze": true}
    And I command {"type": "set_alarm", "address": "<clock>", "slot": 0, "time": "23:59", "repeat_mask": 127, "enabled": true, "snooze": false}
    And I command "read_alarms"
    Then the result is
      """
      [
        {"slot": 0, "time": "23:59", "repeat_mask": 127, "enabled": true, "snooze": false},
        {"slot": 15, "time": "00:00", "repeat_mask": 0, "enabled": false, "snooze": true}
      ]
      """

  @C-read-alarms
  Scenario: A clock without alarms
    Given a connected clock without alarms
    When I command "read_alarms"
    Then the result is []

  @C-delete-alarm @C-slot @C-results @kernel
  Scenario Outline: Deleting slot <slot>, set or empty
    Given a connected clock without alarms
    When I set an alarm with "slot" 0
    And I command {"type": "delete_alarm", "address": "<clock>", "slot": <slot>}
    Then the result is {"address": "<clock>", "slot": <slot>, "deleted": true}
    And the clock's alarms are now <alarms>

    Examples:
      | slot | alarms |
      | 0    | []   |
      | 15   | [{"slot": 0, "time": "07:30", "repeat_mask": 0, "enabled": true, "snooze": false}] |

  @C-slot
  Scenario Outline: Slot <slot> is valid
    Given a connected clock
    When I set an alarm with "slot" <slot>
    Then the result has "slot" <slot>

    Examples:
      | slot |
      | 0    |
      | 15   |

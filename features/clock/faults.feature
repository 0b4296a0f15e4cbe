@clock @fault @simulated
Feature: Faults and their two sides
  The answers of the server when the radio fails, and the fault from the view of the clock. Only a simulation fails on demand.

  # A proxy still reports advertisements of the last 0.1 s.
  @adapter
  Scenario: Advertisements that are not received
    Given a clock
    And the fault {"type": "drop", "device": "<clock>", "stage": "advertising"}
    When I command {"type": "scan", "duration_secs": 1}
    Then the list of clocks does not hold the clock
    And the fault has acted
    And the clock's "advertising" is true

  Scenario: A command that never reaches the clock
    Given a connected clock
    And the fault {"type": "drop", "device": "<clock>", "stage": "acl_to_host", "opcode": "Write Request", "times": 1}
    When I command "read_firmware"
    Then the command fails with "took longer than"
    And the clock did not receive "read_firmware"
    And the fault has acted 1 times

  Scenario: The clock falls silent
    Given a connected clock
    And the fault {"type": "silence", "device": "<clock>", "for_ms": 4000}
    When I command "read_firmware"
    Then the command fails with "took longer than"
    And the fault has acted
    And the clock received "read_firmware"
    When the fault is removed
    Then the clock is connected

  Scenario: An answer is lost and the write is not
    Given a connected clock
    And the fault {"type": "drop", "device": "<clock>", "stage": "acl_from_host", "opcode": "Handle Value Notification", "for_ms": 3000}
    When I command "read_firmware"
    Then the command fails with "did not answer read_firmware"
    And the fault has acted
    And the clock received "read_firmware"

  Scenario Outline: The clock refuses to be read: <what>
    Given a connected clock that I am subscribed to
    And the clock refuses "<command>"
    When I command "<command>"
    Then the command fails with "refused <command>"
    When I ask for the clock's "<what>"
    Then the answer is 500 with code "command_refused"
    And the clock was not disconnected
    And the subscription still works

    Examples:
      | command       | what     |
      | read_firmware | firmware |
      | read_settings | settings |
      | read_alarms   | alarms   |

  Scenario: The link is lost at a command
    Given a connected clock that I am subscribed to
    And the fault {"type": "link_loss", "device": "<clock>", "opcode": "Write Request", "times": 1}
    When I command "sync_time"
    Then the command fails with "was lost"
    And the fault has acted 1 times
    And the clock did not receive "sync_time"
    And I receive disconnected with {} sooner or later
    And I receive reconnected with {} sooner or later
    And the clock is connected

  Scenario: Answers that are late
    Given a connected clock
    And the fault {"type": "delay", "device": "<clock>", "ms": 200}
    When I command "read_firmware"
    Then the command succeeds
    And the fault has acted
    And the clock received "read_firmware"

  Scenario: The adapter is down for a moment
    Given a connected clock that I am subscribed to
    And the fault {"type": "adapter_down", "device": "<adapter>", "for_ms": 400}
    Then I receive disconnected with {} sooner or later
    And I receive reconnected with {} sooner or later
    And the fault has acted 1 times
    And the clock is connected
    And the subscription still works

  Scenario: The clock is away for a moment
    Given a connected clock that I am subscribed to
    And the fault {"type": "out_of_range", "device": "<clock>", "for_ms": 600}
    Then I receive disconnected with {} sooner or later
    And I receive reconnected with {} sooner or later
    And the fault has acted 1 times
    And the clock is connected
    And the subscription still works

  @adapter
  Scenario: The adapter's links are all taken
    Given 20 connected clocks
    And a clock
    When I connect clock 21
    Then the command fails with "the adapter has no room for another link"
    When I command "disconnect"
    And I connect clock 21
    Then the command succeeds

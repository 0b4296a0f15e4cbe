@dice @fault @simulated
Feature: Faults and their two sides
  The answers of the server when the radio fails, and the fault from the view of the die. Only a simulation fails on demand.

  @any-maker
  Scenario: The link is lost at a write, which never arrives
    Given a connected die and a client of the event stream
    And the fault {"type": "link_loss", "device": "<address>", "opcode": "Write Request", "after": 1, "times": 1}
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF0000"}
    Then the answer is 500 with code "link_lost"
    And the fault has acted 1 times
    And each client receives Disconnected, then Reconnected
    And the die is connected
    And the die received no LED command

  Scenario: The link is lost immediately, and once
    Given a connected die and a client of the event stream
    And the fault {"type": "link_loss", "device": "<address>", "times": 1}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    And the die is connected

  @any-maker
  Scenario: A write that never reaches the die
    Given a connected die
    And the fault {"type": "drop", "device": "<address>", "stage": "acl_to_host", "opcode": "Write Request", "times": 1}
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "FF0000"}
    Then the answer is 500 with code "timeout"
    And the fault has acted 1 times
    And the die received no LED command

  @any-maker
  # A proxy still reports advertisements of the last 0.1 s.
  @adapter
  Scenario: Advertisements that are not received
    Given a die
    And the fault {"type": "drop", "device": "<address>", "stage": "advertising"}
    When I scan for dice
    Then the list holds no die of mine
    And the fault has acted
    And the die's "advertising" is true
    When the fault is removed
    And I scan for dice
    Then the list holds the die

  Scenario: Silence after connecting
    Given a connected die
    And the fault {"type": "silence", "device": "<address>"}
    When I send GET "/api/battery/<session>"
    Then the answer is 500 with code "timeout"
    And the fault has acted
    And the die received "03" 1 times

  Scenario: An answer that is late
    Given a connected die
    And the die's battery is at 57
    And the fault {"type": "delay", "device": "<address>", "ms": 200}
    When I send GET "/api/battery/<session>"
    Then the answer is 200
    And the answer has "battery_level" 57
    And the fault has acted
    And the die received "03" 1 times

  Scenario: A command to the adapter that is late
    Given a die
    And the fault {"type": "delay", "device": "all", "stage": "command", "opcode": "LE Create Connection", "ms": 200, "times": 1}
    When I connect the die
    Then the answer is 200
    And the fault has acted 1 times
    And the die is connected

  Scenario: A corrupted notification is ignored
    Given a connected die and a client of the event stream
    And the fault {"type": "corrupt", "device": "<address>", "opcode": "Handle Value Notification", "times": 1}
    When the die rolls 5
    Then each client receives Stable 5
    And each client has received nothing more
    And the fault has acted 1 times
    And the die's "rolling" is false

  @any-maker
  Scenario: Truncated reports are ignored
    Given a die
    And the fault {"type": "truncated_event", "device": "all", "opcode": "Advertising Report", "bytes": 5, "times": 2}
    When I scan for dice
    Then the list holds the die
    And the fault has acted 2 times
    And the die's "advertising" is true

  Scenario: The adapter refuses to connect
    Given a die
    And the fault {"type": "refused_command", "device": "all", "opcode": "LE Create Connection", "status": 31, "times": 1}
    When I connect the die
    Then the answer is 500 with code "connect_failed"
    And the message names "0x1F"
    And the fault has acted 1 times
    And the die is not connected
    When I connect the die
    Then the answer is 200

  Scenario: The adapter does not answer one command
    Given a die
    And the fault {"type": "unanswered_command", "device": "all", "opcode": "0x200D", "times": 1}
    When I connect the die
    Then the answer is 500 with code "timeout"
    And the fault has acted 1 times
    And the die is not connected
    When I connect the die
    Then the answer is 200
    And the die is connected

  Scenario: Loss on the air during a command
    Given a connected die
    And the fault {"type": "loss", "device": "<address>", "rate": 0.9}
    When I send POST "/api/led" with {"session_id": "<session>", "led1": "00FF00", "led2": "0000FF"}
    Then the answer is 200
    And the fault has acted
    And the die's LEDs are "00FF00" and "0000FF"

  @any-maker
  Scenario: A connection that is not established
    Given a die
    And the fault {"type": "failed_establishment", "device": "<address>", "times": 3}
    When I connect the die
    Then the answer is 500 with code "connect_failed"
    And the message names "0x3E"
    And the fault has acted 3 times
    And the die is not connected

  Scenario: The adapter is down for a moment
    Given a connected die and a client of the event stream
    And the fault {"type": "adapter_down", "device": "<adapter>", "for_ms": 400}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    And the die is connected

  @any-maker
  Scenario: The die is away for a moment
    Given a connected die and a client of the event stream
    And the fault {"type": "out_of_range", "device": "<address>", "for_ms": 600}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    And the die is connected

  Scenario: The signal fades
    Given a die
    And the fault {"type": "fading", "device": "<address>", "depth_db": 25, "period_ms": 500}
    When I scan for dice
    Then the list shows the die with -85 to -60 dBm
    And sooner or later a scan receives it weaker than -65 dBm
    And the fault has acted
    And the die's "rssi" is -60

  Scenario: A flood of unknown devices
    Given a die
    And the fault {"type": "background_advertisers", "device": "all", "per_second": 2000, "times": 1000}
    When I scan for dice
    Then the list holds the die and no unknown device
    When I connect the die
    Then the answer is 200
    And the fault has acted
    And the die is connected

  @adapter
  Scenario: The adapter's links are all taken
    Given 20 connected dice
    And a die
    When I connect die 21
    Then the answer is 500 with code "link_limit"
    And the message names "the adapter has no room for another link"
    And 20 session is open
    When I disconnect the die
    And I connect die 21
    Then the answer is 200

  @proxies
  Scenario: Other clients have all slots of the proxies
    Given a die
    And the fault {"type": "proxy_slots_taken", "device": "<proxy>", "slots": 20}
    When I connect the die
    Then the answer is 500 with code "link_limit"
    And the message names "20 of 20 in use"
    And the fault has acted 1 times
    And the die is not connected
    When the fault is removed
    And I connect the die
    Then the answer is 200

  @proxies
  Scenario: The connection to a proxy is lost
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_connection_lost", "device": "<proxy>"}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    And the die is connected

  @proxies
  Scenario: A proxy keeps the link of a connection that is lost for a moment
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_stale_links", "device": "<proxy>", "for_ms": 500}
    And the fault {"type": "proxy_connection_lost", "device": "<proxy>"}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    And the die is connected

  @proxies
  Scenario: A proxy in a slow network
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_slow", "device": "<proxy>", "ms": 30, "jitter_ms": 30}
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    And the fault has acted 1 times
    And the die is connected

  @proxies
  Scenario: A proxy stalls for a moment
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_stalled", "device": "<proxy>", "for_ms": 400}
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    And the fault has acted 1 times
    And the die is connected

  @proxies
  Scenario: No proxy hears anything
    Given the fault {"type": "proxy_deaf", "device": "<proxy>"}
    And a die
    When I scan for dice
    Then the list holds no die of mine
    And the fault has acted 1 times
    And the die's "advertising" is true
    When the fault is removed
    And I scan for dice
    Then the list holds the die

  @proxies
  Scenario: The key of a proxy changes
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_other_key", "device": "<proxy>"}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    And the die is connected

  @proxies
  Scenario: A proxy restarts
    Given a connected die and a client of the event stream
    And the fault {"type": "proxy_down", "device": "<proxy>", "for_ms": 500}
    Then each client receives Disconnected, then Reconnected
    And the fault has acted 1 times
    And the die is connected

  Scenario: Chaos injects the faults of its plan
    Given a connected die and a client of the event stream
    When the plan of chaos
      """
      {
        "seed": 5, "duration_secs": 1, "devices": ["<address>"],
        "faults": [{"type": "link_loss", "per_minute": 120}, {"type": "delay", "ms": 1, "per_minute": 300}]
      }
      """
    Then the chaos ends
    And the chaos has injected every "link_loss" of its plan
    And the chaos has injected every "delay" of its plan
    And each client receives Disconnected, then Reconnected
    And the die is connected

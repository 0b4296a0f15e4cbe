@dice
Feature: Beyond the seed
  Pulse, taps, the list of sessions, and rolls of simulated dice.

  @D-beyond-pulse @model
  Scenario: A pulse of the LEDs without an end
    Given a connected die
    When I send POST "/api/pulse" with {"session_id": "<session>", "count": 255, "on_ms": 100, "off_ms": 200, "color": "00FF00", "leds": "both"}
    Then the answer is 200
    And the die pulses "00FF00" 255 times

  @D-beyond-pulse
  Scenario Outline: A pulse with <field> <value> is refused
    Given a connected die
    When I send POST "/api/pulse" with a "<field>" of <value>
    Then the answer is 400 naming "<field>"

    Examples:
      | field  | value   |
      | count  | 0       |
      | count  | 256     |
      | on_ms  | -10     |
      | on_ms  | 2560    |
      | off_ms | "200"   |
      | color  | "green" |
      | leds   | "all"   |

  @D-beyond-taps
  Scenario: Taps that are neither single nor double are refused
    Given a connected die
    When I send POST "/api/taps" with {"session_id": "<session>"}
    Then the answer is 400 naming "single"

  @D-beyond-sessions
  Scenario: The list of sessions has status records
    Given 2 connected dice
    When I send GET "/api/sessions"
    Then the answer is 200
    And the answer lists the status record of each die

  @D-beyond-roll @simulated @any-maker
  Scenario: A client of the server rolls a simulated die
    Given a connected die and a client of the event stream
    And a server with a simulator
    When I send POST "/api/dice/<address>/roll" with {"face": 5}
    Then the answer is 200
    And the answer has exactly "address" and "rolled"
    And the answer has "rolled" true
    And each client receives RollStart, then Stable 5

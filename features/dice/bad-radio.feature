@dice @fault @simulated
Feature: Bad radio
  Calls end within their limits, sessions do not leak, and their status is true.
  Real dice do not fail on demand.

  @D-limits @any-maker
  Scenario: Out of range while connecting
    Given a die
    When I scan for dice
    And the die goes out of range
    And I connect the die
    Then the answer is 500 with code "timeout"
    And no session is open
    When the die comes back into range
    And I connect the die
    Then the answer is 200

  @D-limits @D-states @any-maker
  Scenario: Out of range during a request for the battery
    Given a connected die and a client of the event stream
    And a fault "silence" of the die
    When I send GET "/api/battery/<session>", and the die goes out of range before it answers
    Then the answer is 500
    And each client receives Disconnected
    When the fault is removed
    And the die comes back into range
    Then each client receives Reconnected
    And each client has received nothing more

  @D-event-disconnected @D-states @any-maker
  Scenario: Lost in the middle of a roll
    Given a connected die and a client of the event stream
    When the die begins a roll that does not end
    Then each client receives RollStart
    When the die goes out of range
    Then each client receives Disconnected
    And the list of sessions shows it not connected and not rolling
    When the die is turned to 4
    And the die comes back into range
    Then each client receives Reconnected, then Stable 4
    And each client has received nothing more

  @D-ws-messages @D-states @D-other-events @any-maker
  Scenario: The link is lost by each roll that begins
    Given a connected die and a client of the event stream
    And the die drops its link whenever a roll has begun
    When the die rolls 3
    Then each client receives RollStart, then Disconnected, then Reconnected, then Stable 3
    And each client has received nothing more

  @D-ws-messages @D-states @any-maker
  Scenario: Turned by hand while the link is lost
    Given a die that rests on 2
    And a client of the event stream
    When I connect the die
    And the die goes out of range
    Then each client receives Disconnected
    When the die is turned to 5
    And the die comes back into range
    Then each client receives Reconnected, then Stable 5
    And each client has received nothing more
    And the status has "face" 5

  @D-limits
  Scenario: A die that never answers
    Given a connected die and a client of the event stream
    And the die ignores "03"
    When I send GET "/api/battery/<session>" 3 times concurrently
    Then all 3 answers are 500 with code "answer_timeout"
    And each client receives Disconnected, then Reconnected

  @D-limits
  Scenario: A die that does not answer its initialisation
    Given a die
    And the die ignores "19"
    And the die's battery is at 57
    When I connect the die
    Then sooner or later the status has "battery_level" 57
    When the die's battery is at 56
    And I send GET "/api/battery/<session>"
    Then the answer is 200
    And the answer has "battery_level" 56
    And the status has "battery_level" 56
    And the status has "connected" true

  @D-limits
  Scenario: More requests than one die may have under way
    Given a connected die and a client of the event stream
    When the die begins a roll that does not end
    Then each client receives RollStart
    When I send POST "/api/calibrate" 200 times concurrently with {"session_id": "<session>"}
    Then some answers are 500 with code "calibration_failed", the others 429 with code "too_many_requests"
    And the answers with 429 have the header "Retry-After" in seconds
    When I send GET "/api/battery/<session>"
    Then the answer is 200

  @D-limits @any-maker
  Scenario: A die whose packets vanish
    Given a die
    And a fault "silence" of the die
    When I connect the die
    Then the answer is 500 with code "timeout"
    And no session is open
    And the fault has acted

  @D-event-disconnected @D-states @kernel @any-maker
  Scenario: A die that drops and comes back
    Given a die that rests on 2
    And a client of the event stream
    When I connect the die
    And the link of the die is lost
    Then each client receives Disconnected, then Reconnected
    And each client has received nothing more
    And the session is still open
    And the status has "face" 2
    When the die rolls 3
    Then each client receives RollStart, then Stable 3

  @D-status
  Scenario: A die that comes back under another name
    Given a connected die and a client of the event stream
    When the die is renamed "GoDice_FFFFFF_R_v05"
    Then each client receives Disconnected, then Reconnected
    And the status has "name" "GoDice_FFFFFF_R_v05"

  @D-states @D-status @any-maker
  Scenario: While the link is lost
    Given a connected die and a client of the event stream
    When the die goes out of range
    Then each client receives Disconnected
    When I send GET "/api/status/<session>"
    Then the answer is 200
    And the answer is a status record
    And the answer has "connected" false
    And the answer has "rolling" false
    And the answer has "face" null
    When I send GET "/api/status/<session>?detail=full"
    Then the answer is a detailed status record
    And the answer has no "lost_until", or one in the future
    When I send GET "/api/battery/<session>"
    Then the answer is 404 with code "not_connected"
    When I disconnect the die
    Then the answer is 200
    And no session is open
    And each client has received nothing more

  @D-errors @D-states @D-led @D-beyond-pulse @D-beyond-taps @D-calibrate @D-battery
  Scenario: The code of a die whose link is lost
    Given a connected die and a client of the event stream
    When the die goes out of range
    Then each client receives Disconnected
    And these requests are answered with 404 and code "not_connected"
      | POST /api/led              | {"session_id": "<session>", "led1": "FF0000"}                                           |
      | POST /api/pulse            | {"session_id": "<session>", "count": 1, "on_ms": 100, "off_ms": 100, "color": "FF0000"} |
      | POST /api/taps             | {"session_id": "<session>", "single": true}                                             |
      | POST /api/calibrate        | {"session_id": "<session>"}                                                             |
      | GET /api/battery/<session> |                                                                                         |

  @D-limits @D-states @D-beyond-detail @D-beyond-sessions @any-maker
  Scenario: A die that does not come back in time
    Given a connected die and a client of the event stream
    When the die goes out of range
    Then each client receives Disconnected
    When I send GET "/api/status/<session>?detail=full"
    Then the list of sessions has the answer
    And the die is given up at "lost_until"
    And no session is open
    And each client has received nothing more

  @D-states @any-maker
  Scenario: The adapter goes off and comes back
    Given a connected die and a client of the event stream
    When the server's adapter goes off
    Then each client receives Disconnected
    When I send GET "/ready"
    Then the answer is 503
    When I send GET "/health"
    Then the answer is 200
    And the answer has "status" "degraded"
    And the answer has "adapter" "poweredOff"
    When the server's adapter comes back
    Then each client receives Reconnected
    When I send GET "/ready"
    Then the answer is 200

  @D-limits
  Scenario: The adapter is off
    Given a die
    And the server's adapter goes off
    When I connect the die
    Then the answer is 500 with code "adapter_off"
    And no session is open
    When I scan for dice
    Then the answer is 500 with code "adapter_off"

  @D-connect
  Scenario: A connection that fails to be established is tried again
    Given a die
    And a fault "failed_establishment" of the die, 2 times
    When I connect the die
    Then the answer is 200
    And the fault has acted 2 times

  @D-connect
  Scenario: A connection that fails three times is given up
    Given a die
    And a fault "failed_establishment" of the die
    When I connect the die
    Then the answer is 500
    And no session is open

  @D-publishes @any-maker
  Scenario: Loss on the air costs time, never an event
    Given a connected die and a client of the event stream
    And a fault "loss" of the die with "rate" 0.3
    When the die rolls each of 1, 2, 3, 4, 5, 6
    Then each client receives RollStart and Stable for each roll, in order
    And the fault has acted

  @D-publishes @any-maker
  Scenario: Delay costs time, never an event
    Given a connected die and a client of the event stream
    And a fault "delay" of the die with "ms" 20
    When the die rolls each of 1, 2, 3
    Then each client receives RollStart and Stable for each roll, in order
    And the fault has acted

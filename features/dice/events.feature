@dice
Feature: The event stream
  GET /ws carries the events of the dice.

  @D-ws @D-publishes @D-ws-messages @operator @kernel @any-maker
  Scenario: A roll reaches every client
    Given a connected die
    And 3 clients of the event stream
    When the die rolls 5
    Then each client receives RollStart, then Stable 5
    And each client has received nothing more

  @D-ws @D-publishes @D-ws-messages @operator @seed @any-maker
  Scenario: A roll reaches every client, among other events
    Given a connected die
    And 3 clients of the event stream
    When the die rolls 5
    Then each client receives RollStart sooner or later
    And each client receives Stable 5 sooner or later

  @D-event-kind @D-event-roll-start @operator @seed @any-maker
  Scenario: RollStart has a kind and nothing else, among other events
    Given a connected die and a client of the event stream
    When the die rolls 2
    Then each client receives RollStart sooner or later
    And it has "kind" and nothing else

  @D-event-kind @D-event-face @D-event-stable @D-event-acceleration @operator @seed
  Scenario: Stable has a face and an acceleration, among other events
    Given a connected die and a client of the event stream
    When the die rolls 6
    Then each client receives Stable 6 sooner or later
    And its acceleration has the integers x, y and z

  @D-event-kind @D-event-roll-start @operator @kernel @any-maker
  Scenario: RollStart has a kind and nothing else
    Given a connected die and a client of the event stream
    When the die rolls 2
    Then the next message has exactly "kind"
    And it is a RollStart
    And each client receives Stable 2

  @D-event-kind @D-event-stable @D-event-acceleration @operator @kernel
  Scenario: Stable has kind, face and acceleration and nothing else
    Given a connected die and a client of the event stream
    When the die rolls 6
    Then each client receives RollStart
    And the next message has exactly "kind", "face" and "acceleration"
    And it is a Stable
    And its acceleration has exactly the integers x, y and z
    And its acceleration points to face 6

  @D-event-acceleration @simulated
  Scenario: The acceleration is the die's, sign included
    Given a connected die and a client of the event stream
    When the die comes to rest at -64, 3, -2
    Then each client receives Stable 1 at -64, 3, -2

  @D-event-disconnected @D-event-kind @kernel @any-maker
  Scenario: Disconnected has a kind and nothing else, and comes once
    Given a connected die and a client of the event stream
    When I disconnect the die
    Then the next message has exactly "kind"
    And it is a Disconnected
    And each client has received nothing more

  @D-event-disconnected @D-event-kind @operator @seed @any-maker
  Scenario: Disconnected has a kind and nothing else when the die is lost
    Given a connected die and a client of the event stream
    When the die goes out of range
    Then each client receives Disconnected sooner or later
    And it has "kind" and nothing else
    When the die comes back into range

  @D-publishes @operator @any-maker
  Scenario: Events come in the order in which the die sent them
    Given a connected die and a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5, 6
    Then each client receives RollStart and Stable for each roll, in order

  @D-ws-messages @D-other-events @operator
  Scenario Outline: A roll that ends <ending>
    Given a connected die and a client of the event stream
    When the die rolls 3, ending <ending>
    Then each client receives RollStart
    And each client receives <kind> 3

    Examples:
      | ending | kind       |
      | stable | Stable     |

    @simulated
    Examples:
      | ending | kind       |
      | tilt   | TiltStable |
      | fake   | FakeStable |
      | move   | MoveStable |

  @D-other-events @simulated
  Scenario Outline: <kind> has the acceleration of the die, sign included
    Given a connected die and a client of the event stream
    When the die rolls 3, ending <ending>
    Then each client receives RollStart
    And each client receives <kind> 3
    And its acceleration is that of the die

    Examples:
      | ending | kind       |
      | tilt   | TiltStable |
      | fake   | FakeStable |
      | move   | MoveStable |

  @D-other-events @simulated
  Scenario: A die on its charger has 1 per cent more
    Given a connected die and a client of the event stream
    And the die's battery is at 57
    When the die is put on its charger
    Then each client receives Charging with "charging" true
    And the next message has exactly "kind" and "level"
    And it is a BatteryLevel
    And its "level" is 58

  @D-other-events @operator @kernel
  Scenario: Taps arrive after a request for them
    Given a connected die and a client of the event stream
    When the die is tapped
    And I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": true}
    Then the answer is 200
    When the die is tapped
    Then each client receives Tap
    When the die is tapped twice
    Then each client receives DoubleTap
    When I send POST "/api/taps" with {"session_id": "<session>", "single": false}
    And the die is tapped
    And the die is tapped twice
    Then each client receives DoubleTap
    And each client has received nothing more

  @D-other-events @operator @kernel
  Scenario: Charging and the battery level
    Given a connected die and a client of the event stream
    When the die is put on its charger
    Then each client receives Charging with "charging" true
    And each client receives BatteryLevel with an integer "level" from 0 to 100
    When the die is taken off its charger
    Then each client receives Charging with "charging" false sooner or later

  @D-ws @operator @any-maker
  Scenario: Events in full have session, address, time, number and instance
    Given a connected die
    And a client of the event stream at "/ws?detail=full"
    When the die rolls 4
    Then each client receives RollStart
    And the message has the session, the die's address and a time in UTC
    And each client receives Stable 4
    And its seq is one more than before, its instance the same

  @D-ws @operator @any-maker
  Scenario: A stream of one session has the events of its die alone
    Given 2 connected dice
    And a client of the event stream at "/ws?detail=full&session_id=<session 2>"
    When die 1 rolls 1
    And die 2 rolls 2
    Then each client receives RollStart of die 2
    And each client receives Stable 2
    And each client has received nothing more

  @D-ws @operator @kernel
  Scenario: A client that comes back receives the events that it missed, then new ones
    Given a connected die
    And a client of the event stream at "/ws?detail=full"
    When I send POST "/api/taps" with {"session_id": "<session>", "single": true, "double": true}
    Then the answer is 200
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    When the client goes away
    And the die is tapped
    And the client comes back
    Then each client receives Tap
    And its seq is one more than before, its instance the same
    When the die is tapped twice
    Then each client receives DoubleTap
    And each client has received nothing more

  @D-ws @kernel
  Scenario: A client that comes back learns that events are missing
    Given a client of the event stream at "/ws?since=41&instance=another"
    Then the next message has exactly "kind", "from", "to", "time", "seq" and "instance"
    And it is a EventsMissed
    And event 42 and all later events are missing
    And it is of now, and of this run of the server

  @D-ws @operator @any-maker
  Scenario: Nothing is missing after the message about missing events
    Given a connected die and a client of the event stream
    When the die rolls 4
    Then each client receives RollStart, then Stable 4
    When the client goes away
    Given a client of the event stream at "/ws?since=41&instance=another"
    Then the next message has exactly "kind", "from", "to", "time", "seq" and "instance"
    And each client receives an event
    And its seq is one more than before, its instance the same

  @D-ws
  Scenario Outline: The position <query> is refused
    When I ask for an upgrade of "/ws?<query>"
    Then the upgrade is refused with 400 and JSON

    Examples:
      | query                     |
      | since=1                   |
      | instance=another          |
      | since=-1&instance=another |
      | detail=some               |
      | since=9007199254740991&instance=another |

  @D-ws
  Scenario Outline: A client that comes back after event <since> of another run learns that events are missing
    Given a client of the event stream at "/ws?since=<since>&instance=another"
    Then the next message has exactly "kind", "from", "to", "time", "seq" and "instance"
    And it is a EventsMissed

    Examples:
      | since            |
      | 0                |
      | 9007199254740990 |

  @D-paths
  Scenario: The upgrade of any other path is refused
    When I ask for an upgrade of "/events"
    Then the upgrade is refused with 404 and JSON

  @D-ws @operator @any-maker
  Scenario: Messages of a client are ignored
    Given a connected die and a client of the event stream
    When the client says "hello"
    And the die rolls 1
    Then each client receives RollStart, then Stable 1

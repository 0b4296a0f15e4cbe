@dice @operator @any-maker
Feature: Faces
  Every rolled face of all seven shells arrives unchanged, 0 included.

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d6
    Given a connected die as d6
    And a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5, 6 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable @kernel
  Scenario: Every face of a d20
    Given a connected die as d20
    And a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d10
    Given a connected die as d10
    And a client of the event stream
    When the die rolls each of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d10x
    Given a connected die as d10x
    And a client of the event stream
    When the die rolls each of 0, 10, 20, 30, 40, 50, 60, 70, 80, 90 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d4
    Given a connected die as d4
    And a client of the event stream
    When the die rolls each of 1, 2, 3, 4 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d8
    Given a connected die as d8
    And a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5, 6, 7, 8 in any order
    Then each client receives RollStart and Stable for each roll, in order

  @D-event-face @D-dice-type @D-event-stable
  Scenario: Every face of a d12
    Given a connected die as d12
    And a client of the event stream
    When the die rolls each of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 in any order
    Then each client receives RollStart and Stable for each roll, in order

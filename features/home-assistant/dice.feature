@dice @own-server
Feature: Dice in Home Assistant
  Home Assistant finds the dice of a server with --home-assistant.

  Scenario: A die is found with all its entities
    Given a server of my own on a broker
    And a connected die
    Then Home Assistant finds the die with
      | platform      | name        |
      | event         | Roll        |
      | event         | Tap         |
      | sensor        | Face        |
      | sensor        | Battery     |
      | binary_sensor | Charging    |
      | sensor        | Signal      |
      | light         | LED 1       |
      | light         | LED 2       |
      | button        | Identify    |
      | switch        | Report taps |
      | select        | Shell       |
      | button        | Calibrate   |

  @pixels
  Scenario: A Pixels die is found with the entities of its abilities
    Given a server of my own on a broker
    And a connected die
    Then Home Assistant finds the die with
      | platform      | name     |
      | event         | Roll     |
      | sensor        | Face     |
      | sensor        | Battery  |
      | binary_sensor | Charging |
      | sensor        | Signal   |
      | light         | LEDs     |
      | button        | Identify |

  Scenario: Home Assistant finds a die again after a start
    Given a server of my own on a broker
    And a connected die
    And Home Assistant has found the die
    When Home Assistant is started
    Then Home Assistant finds the die again

  @model @any-maker
  Scenario: A light is switched off
    Given a server of my own on a broker
    And a connected die
    And Home Assistant has found the die
    When I publish the command "led" to the die with {"led1": "FF0000", "led2": "0000FF"}
    Then the result on the broker has "command" "led"
    When Home Assistant switches the first light off
    Then the result on the broker has "command" "led"
    And the die's LEDs are "000000" and "0000FF"

  @operator
  Scenario: A die is calibrated
    Given a server of my own on a broker
    And a die that rests on 3
    And I connect the die
    And Home Assistant has found the die
    When Home Assistant presses "Calibrate"
    Then the result on the broker has "command" "calibrate"

  Scenario: A disconnected die is removed
    Given a server of my own on a broker
    And a connected die
    And Home Assistant has found the die
    When I disconnect the die
    Then Home Assistant removes the die

  Scenario: A labelled die is called by its label
    Given a server of my own on a broker
    And a connected die
    And Home Assistant has found the die
    When I publish the command "setDie" to the die with {"label": "Red one"}
    Then Home Assistant calls the die "Red one", which has its ids and topics as before

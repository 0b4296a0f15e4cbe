@dice @own-server
Feature: A dice server on an MQTT broker
  A client of the broker hears the dice of each server and commands them, without knowing which server has a die.

  Scenario Outline: A server that <end> is offline
    Given a server of my own on a broker
    When my server <end> and is started again
    Then the broker has the server online, offline and online

    Examples:
      | end           |
      | ends in order |
      | is killed     |

  @operator @any-maker
  Scenario: A roll is an event, and its face is retained
    Given a server of my own on a broker
    And a connected die
    When the die rolls 5
    Then the broker gets RollStart and Stable 5 of the die, one after the other
    And the broker retains the state of the die with "face" 5
    And the broker retains that the die is online

  @model @any-maker
  Scenario: An LED is set by MQTT
    Given a server of my own on a broker
    And a connected die
    When I publish the command "led" to the die with {"id": 7, "led1": "00FF80"}
    Then the result on the broker has "id" 7
    And the die's LEDs are "00FF80" and "000000"
    And the broker retains the state of the die with "leds" {"led1": "00FF80", "led2": "000000"}

  Scenario: A wrong command is answered with a code
    Given a server of my own on a broker
    And a connected die
    When I publish the command "led" to the die with {"led1": "green"}
    Then the result on the broker has "code" "invalid_input"

  @any-maker
  Scenario: A die is connected and disconnected by MQTT
    Given a server of my own on a broker
    And a die
    When I publish the command "connect" to the server with {"address": "<address>"}
    Then the broker retains that the die is online
    When I publish the command "disconnect" to the die with {}
    Then the broker gets that the die is offline, and retains nothing of it

  @any-maker
  Scenario: A server that was killed clears at its start the die that it had
    Given a server of my own on a broker
    And a connected die
    And the broker retains that the die is online
    When my server is killed and is started again
    Then the broker gets that the die is offline, and retains nothing of it

  @simulated @any-maker
  Scenario: A label that is set on one server is seen on another
    Given a server of my own on a broker
    And another server on the broker
    And a connected die
    When I publish the command "setDie" to the die with {"label": "Red one"}
    Then the broker retains the state of the die with "label" "Red one"
    When I publish the command "disconnect" to the die with {}
    Then the broker gets that the die is offline, and retains nothing of it
    When I publish the command "connect" to the other server with {"address": "<address>"}
    Then the broker retains the state of the die at the other server with "label" "Red one"

@dice
Feature: Connecting and disconnecting
  A session is one connected die.

  @D-connect @kernel @any-maker
  Scenario: Connecting answers a session id alone
    Given a die
    When I connect the die
    Then the answer is 200
    And the answer has exactly "session_id"

  @D-connect @D-session-id @D-session-life @D-dice-type-optional @seed @any-maker
  Scenario: Connecting answers a session id, among other fields
    Given a die
    When I connect the die
    Then the request succeeds
    And the answer has a text "session_id"

  @D-connect @seed
  Scenario: Connecting without an address fails
    When I send POST "/api/connect" with {}
    Then the request fails

  @D-session-id @seed @any-maker
  Scenario: Each die has a session id of its own
    Given 2 connected dice
    Then each die has a session id of its own

  @D-session-id @kernel @any-maker
  Scenario: The session id is opaque, and never used again
    Given a connected die
    When I disconnect the die
    And I connect the die
    Then the session id is another one of at least 16 characters

  @D-session-id
  Scenario: Later calls name the session
    Given 2 connected dice
    Then the status of each session shows its own die

  @D-connect
  Scenario: The address may be in lower case
    Given a die
    When I connect the die by its address in lower case
    Then the answer is 200
    And the status has the die's address

  @D-connect @any-maker
  Scenario: Connecting again answers the same session
    Given a connected die
    When I connect the die again
    Then the answer is 200
    And the session id is the same

  @D-connect @any-maker
  Scenario: Two clients connecting the same die concurrently share its session
    Given a die
    When I connect the die twice concurrently
    Then both answers have the same session id
    And 1 session is open

  @D-dice-type
  Scenario Outline: A die connects as a <type>
    Given a die
    When I connect the die as <type>
    Then the answer is 200
    And the status has "dice_type" "<type>"

    Examples:
      | type |
      | d6   |
      | d20  |
      | d10  |
      | d10x |
      | d4   |
      | d8   |
      | d12  |

  @D-dice-type @seed
  Scenario Outline: Connecting as a <type> succeeds
    Given a die
    When I connect the die as <type>
    Then the request succeeds

    Examples:
      | type |
      | d6   |
      | d20  |
      | d10  |
      | d10x |
      | d4   |
      | d8   |
      | d12  |

  @D-dice-type @seed
  Scenario: Connecting as any other type fails
    Given a die
    When I connect the die as d7
    Then the request fails

  @D-dice-type
  Scenario: Any other type is refused before the die is touched
    Given a die
    When I connect the die as d7
    Then the answer is 400 naming "dice_type"
    And no session is open
    And the die is not connected

  @D-dice-type-optional @kernel
  Scenario: Without a type a die is a d6
    Given a die
    When I connect the die
    Then the answer is 200
    And the status has "dice_type" "d6"

  @D-dice-type-optional
  Scenario: A type of null counts as omitted
    Given a connected die
    When I connect the die again as d20
    And I send POST "/api/connect" with {"address": "<address>", "dice_type": null}
    Then the answer is 200
    And the status has "dice_type" "d20"

  @D-dice-type-optional
  Scenario: Connecting again with another type changes it
    Given a connected die
    When I connect the die again as d20
    Then the answer is 200
    And the status has "dice_type" "d20"

  @D-connect @D-errors @kernel
  Scenario: An absent die
    When I send POST "/api/connect" with {"address": "D1:CE:FF:FF:FF:FE"}
    Then the answer is 404 with code "device_not_found"
    And the message names "D1:CE:FF:FF:FF:FE"
    And no session is open

  @D-disconnect @D-bodies @kernel @any-maker
  Scenario: Disconnecting
    Given a connected die
    When I disconnect the die
    Then the answer is 200
    And the answer has exactly "session_id" and "disconnected"
    And the answer has {"session_id": "<session>", "disconnected": true}
    And the die is not connected

  @D-states @operator @kernel @any-maker
  Scenario: Connecting sends no event, since there was no roll
    Given a die that rests on 4
    And a client of the event stream
    When I connect the die
    Then each client has received nothing
    And the status has "face" 4
    And the status has "connected" true
    And the status has "rolling" false

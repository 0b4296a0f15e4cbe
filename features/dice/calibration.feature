@dice
Feature: Calibration
  Calibration measures the acceleration of a die that lies still on a face.

  @D-calibrate @D-bodies @operator @kernel
  Scenario: Calibrating a die at rest
    Given a die that rests on 5
    When I connect the die
    And I send POST "/api/calibrate" with {"session_id": "<session>"}
    Then the answer is 200
    And the answer has exactly "session_id", "face" and "offset"
    And the answer has {"session_id": "<session>", "face": 5}

  @D-calibrate @operator @model
  Scenario: The offset corrects the resting acceleration
    Given a die that rests on 5
    When I connect the die
    And I send POST "/api/calibrate" with {"session_id": "<session>"}
    Then the offset leads from the resting acceleration to the face

  @D-calibrate @simulated
  Scenario: Later faces use the offset, the acceleration stays as measured
    Given a die that rests on 5
    And a client of the event stream
    And the die's resting acceleration is 25, 0, -50
    When I connect the die
    And I send POST "/api/calibrate" with {"session_id": "<session>"}
    Then the answer has "face" 5
    And the answer has "offset" {"x": -25, "y": 0, "z": -14}
    When the die comes to rest at 44, 0, -30
    Then each client receives Stable 5 at 44, 0, -30

  @D-calibrate @D-dice-type-optional @simulated
  Scenario: A calibration ends with a change of the type
    Given a die that rests on 5
    And a client of the event stream
    And the die's resting acceleration is 25, 0, -50
    When I connect the die
    And I send POST "/api/calibrate" with {"session_id": "<session>"}
    And I connect the die again as d8
    And I connect the die again as d6
    And the die comes to rest at 44, 0, -30
    Then each client receives Stable 6 at 44, 0, -30

  @D-calibrate @operator
  Scenario: Calibration waits for a rolling die
    Given a connected die and a client of the event stream
    When the die begins a roll that does not end
    Then each client receives RollStart
    When I calibrate the die while it is turned to 1
    Then the answer is 200
    And the answer has "face" 1

  @D-calibrate @D-limits @operator @kernel
  Scenario: A die that never rests cannot be calibrated
    Given a connected die and a client of the event stream
    When the die begins a roll that does not end
    Then each client receives RollStart
    When I send POST "/api/calibrate" with {"session_id": "<session>"}
    Then the answer is 500 with code "calibration_failed"
    And the session is still open

@clock
Feature: What the clock server remembers
  Names, readings and kept clocks outlast sessions and the server; tokens outlast all of them.

  @C-beyond-records
  Scenario: A label is shown until it is removed
    Given a connected clock
    When I command "set_label" with "label" " Grandma’s kitchen "
    Then the result is {"address": "<clock>", "label": "Grandma’s kitchen"}
    And the server remembers {"label": "Grandma’s kitchen", "connected": true} of the clock
    When I command "disconnect"
    Then the server remembers {"label": "Grandma’s kitchen", "connected": false} of the clock
    When I command "set_label" with "label" null
    Then the result is {"address": "<clock>", "label": null}
    And the server remembers {"label": null} of the clock

  @C-beyond-records
  Scenario Outline: A label of <count> is taken
    Given a connected clock
    When I command "set_label" with "label" "<label>"
    Then the result is {"address": "<clock>", "label": "<label>"}

    Examples:
      | count         | label                                                        |
      | 1 character   | K                                                            |
      | 60 characters | Lorem ipsum dolor sit amet, consectetur adipisici elit, sed! |

  @C-beyond-records
  Scenario Outline: <what> is refused as a label
    Given a connected clock
    When I command "set_label" with "label" <label>
    Then the command fails naming "label"
    And the server remembers {"label": null} of the clock

    Examples:
      | what                  | label                                                           |
      | a text of 61 letters  | "Lorem ipsum dolor sit amet, consectetur adipisici elit, sed e" |
      | a text with a control | "Kitchen\u0007"                                                 |
      | an empty text         | ""                                                              |
      | a zero-width space    | "\u200b"                                                        |
      | half of a pair        | "Kitchen\ud83c"                                                 |
      | a number              | 7                                                               |

  @C-beyond-records
  Scenario: A clock that is only heard is listed
    Given a clock
    When I command {"type": "scan", "duration_secs": 1}
    Then the command succeeds
    And the server remembers {"label": null, "keep_connected": false, "timezone": null, "connected": false} of the clock

  @C-beyond-records @simulated
  Scenario: The record of a clock
    Given I know the server's time
    And a clock
    When I command "connect"
    And I command "set_label" with "label" "Kitchen"
    Then the server remembers {"address": "<clock>", "label": "Kitchen", "name": "Qingping Alarm Clock", "keep_connected": false, "timezone": null, "connected": true} of the clock
    And the clock was first and last seen since then

  @C-beyond-history
  Scenario: The code of a clock that was never heard
    When I send GET "/api/devices/58:2D:34:FF:FF:FE/history"
    Then the answer is 404 with code "unknown_device"
    And the message names "58:2D:34:FF:FF:FE"

  @C-beyond-history @simulated
  Scenario: Readings are kept with and without a link
    Given a connected clock that I am subscribed to
    When the clock measures 18.5 °C and 40 %
    Then I receive sensor_update with {"temperature": 18.5, "humidity": 40} sooner or later
    When the clock measures 23.5 °C and 45 %
    Then sooner or later the clock's history has temperatures from 18.5 to 23.5
    When I command "disconnect"
    And the clock measures 30.5 °C and 60 %
    Then sooner or later the clock's history has temperatures from 18.5 to 30.5

  @C-beyond-history @simulated
  Scenario: A point of the history has mean, lowest and highest values, and the lowest battery
    Given I know the server's time
    And a clock that measures 18.5 °C and 61.0 %, its battery at 33
    When I command "connect"
    Then sooner or later the clock's history is one day with temperature 18.5, humidity 61 and battery 33

  @C-beyond-history
  Scenario Outline: The history <query> is refused
    Given a connected clock
    When I ask for the clock's "history<query>"
    Then the answer is 400 naming "<field>"

    Examples:
      | query                                                       | field |
      | ?from=yesterday                                             | from  |
      | ?to=2026-11-26T19:30:00                                     | to    |
      | ?step=59                                                    | step  |
      | ?step=86401                                                 | step  |
      | ?from=2026-11-01T00:00:00Z&to=2026-11-26T00:00:00Z&step=600 | step  |
      | ?from=2010-01-01T00:00:00Z&to=2026-01-01T00:00:00Z          | from  |

  @C-beyond-records @operator @model
  Scenario: A kept clock is connected whenever it is heard, until a client disconnects it
    Given a clock
    When I command {"type": "scan", "duration_secs": 1}
    And I command "keep_connected" with "keep_connected" true
    Then the result is {"address": "<clock>", "keep_connected": true}
    And sooner or later the server has the clock again
    When the clock goes out of range
    Then the clock is not connected
    When the clock comes back into range
    Then sooner or later the server has the clock again
    When I command "disconnect"
    Then the clock stays not connected
    When I command "keep_connected" with "keep_connected" true
    Then sooner or later the server has the clock again

  @C-beyond-records @own-server @simulated
  Scenario Outline: A server that <ended> remembers names and readings, and connects kept clocks
    Given a server of my own
    And a connected clock that I am subscribed to
    When I command "set_label" with "label" "Kitchen"
    And I command "keep_connected" with "keep_connected" true
    And the clock measures 18.5 °C and 40 %
    Then I receive sensor_update with {"temperature": 18.5, "humidity": 40} sooner or later
    When the clock measures 23.5 °C and 45 %
    Then sooner or later the clock's history has temperatures from 18.5 to 23.5
    When my server <ended> and is started again
    Then the server remembers {"label": "Kitchen", "keep_connected": true} of the clock
    And sooner or later the clock's history has temperatures from 18.5 to 23.5
    And sooner or later the server has the clock again

    Examples:
      | ended         |
      | ends in order |
      | is killed     |

  @C-beyond-records @simulated
  Scenario: A forgotten clock loses its name and readings, and keeps its session
    Given a connected clock that I am subscribed to
    When I command "set_label" with "label" "Kitchen"
    And I command "keep_connected" with "keep_connected" true
    And the clock measures 18.5 °C and 40 %
    Then I receive sensor_update with {"temperature": 18.5, "humidity": 40} sooner or later
    When the clock measures 30.5 °C and 60 %
    Then I receive sensor_update with {"temperature": 30.5, "humidity": 60} sooner or later
    When I command "forget"
    Then the result is {"address": "<clock>", "forgotten": true}
    And the server remembers {"label": null, "keep_connected": false, "connected": true} of the clock
    When the clock measures 31.5 °C and 60 %
    Then I receive sensor_update with {"temperature": 31.5, "humidity": 60} sooner or later
    And the clock's history has no temperature below 30

  @C-beyond-records @own-server
  Scenario Outline: A clock has the same token after forget and a server that <ended>
    Given a server of my own
    And a connected clock
    When I command "forget"
    Then the result is {"address": "<clock>", "forgotten": true}
    When my server <ended> and is started again
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}

    Examples:
      | ended         |
      | ends in order |
      | is killed     |

  @C-beyond-records @own-server
  Scenario Outline: Without a history a clock has the same token after a server that <ended>
    Given a server of my own with "--history off"
    And a connected clock
    When my server <ended> and is started again
    And I command "connect"
    Then the result is {"address": "<clock>", "connected": true, "paired": false}

    Examples:
      | ended         |
      | ends in order |
      | is killed     |

  @C-beyond-history @own-server
  Scenario: A server without a history serves on
    Given a server of my own with "--history off"
    And a connected clock
    When I command "set_label" with "label" "Kitchen"
    Then the result is {"address": "<clock>", "label": "Kitchen"}
    When I command "forget"
    Then the command fails with "the server keeps no history (--history off)"
    And the server remembers {"label": "Kitchen"} of the clock
    When I ask for the clock's "history"
    Then the answer is 503 with code "history_unavailable"

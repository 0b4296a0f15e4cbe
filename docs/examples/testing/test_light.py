DIE = "F1:CE:00:00:00:01"


def test_a_command_to_the_server_lights_the_die(airbench):
    lab = airbench(devices=[{"kind": "pixels", "address": DIE, "die": "d20", "face": 17}])
    session = lab.dice.post("/api/connect", {"address": DIE})["session_id"]
    assert lab.dice.get(f"/api/status/{session}")["face"] == 17
    lab.dice.post("/api/led", {"session_id": session, "led1": "00FF00"})
    assert lab.control.device(DIE)["leds"] == ["00FF00"] * 20

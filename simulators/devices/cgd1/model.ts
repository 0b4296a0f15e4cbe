import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  CONSTANT_BATTERY,
  channelOf,
  decodeCommand,
  decodeSettings,
  type AckOutcome,
  type Channel,
  type Command,
  type CommandTag,
  type Notification,
  type Reading,
  type SettingsRecord,
} from '../../../src/protocols/cgd1/index.js';
import { Timers } from '../../timers.js';
import { type LocalTime, RunningTime } from './times.js';
import { Alarms } from './alarms.js';
import { Binding } from './binding.js';
import { Display } from './display.js';
import { FACTORY_RECORD, FACTORY_SETTINGS } from './factory.js';
import { ackReply, alarmReplies, firmwareReply } from './replies.js';
import { Sounds } from './sounds.js';
import type { ClockStart, ClockState, ClockContext } from './state.js';
import type { ClockBehaviour } from './behaviour.js';
import { Tones } from './tones.js';

/** The state that the model itself keeps; its parts keep the rest. */
type ClockFields = Pick<ClockState, 'reading' | 'battery' | 'firmware' | 'record' | 'settings' | 'behaviour'>;

/** The button, held this long, resets the clock (docs/cgd1-protocol.md §4). */
const RESET_SECS = 12;

const MINUTE_MS = 60_000;

/** Commands of every host; all other commands need the owner's token. */
const forAnybody: readonly CommandTag[] = ['AuthInit', 'AuthConfirm'];

/** A clock without its radio. It holds timers only while it sounds, is slow to answer or has an alarm set. */
export class ClockModel {
  private fields: ClockFields;
  private readonly time: RunningTime;
  private readonly alarms: Alarms;
  private readonly binding: Binding;
  private readonly sounds: Sounds;
  private readonly display = new Display();
  private readonly tones: Tones;
  private readonly commands = new Map<CommandTag, number>();
  private readonly responses: Timers;

  constructor(
    { reading, battery, firmware, record, behaviour, ...start }: ClockStart,
    private readonly context: ClockContext,
  ) {
    const settings = pipe(
      decodeSettings(record),
      E.getOrElse(() => FACTORY_SETTINGS),
    );
    this.fields = { reading, battery, firmware, record, settings, behaviour };
    this.tones = new Tones(settings.ringtone);
    this.responses = new Timers(context.time);
    this.binding = new Binding(start.token);
    this.time = new RunningTime(context.time, start.time);
    this.sounds = new Sounds(context.time, context.changed);
    this.alarms = new Alarms(start.alarms, {
      time: context.time,
      localTime: () => this.localTime,
      enabled: () => this.fields.settings.alarms_enabled,
      ring: (slot) => this.ring(slot),
    });
  }

  get state(): ClockState {
    return {
      ...this.fields,
      alarms: this.alarms.entries,
      time: this.time.now,
      token: this.binding.token,
      authenticated: this.binding.authenticated,
      ringtone: this.tones.inUse,
      upload: this.tones.upload,
      uploaded: this.tones.uploaded,
      brightnessNow: this.display.brightness(this.fields.settings, this.localTime),
      previewing: this.sounds.previewing,
      ringing: this.sounds.ringing,
      commands: this.commands,
    };
  }

  /** The level of the battery service, per cent. */
  get gattBattery(): number {
    return this.fields.behaviour.battery_service === 'true' ? this.fields.battery : CONSTANT_BATTERY;
  }

  /** Handles bytes written by the host. Bytes that are not a command are ignored, but end an upload. */
  write(channel: Channel, bytes: Buffer): void {
    const decoded = decodeCommand(channel, bytes);
    const tag = E.isRight(decoded) ? decoded.right._tag : undefined;
    if (tag !== 'AudioBlock') this.tones.abort();
    if (tag !== undefined) this.commands.set(tag, (this.commands.get(tag) ?? 0) + 1);
    this.context.changed();
    if (E.isRight(decoded) && !this.fields.behaviour.silent_commands.includes(decoded.right._tag)) {
      this.receive(decoded.right);
    }
  }

  /** The link ended: the host must authenticate again, and an upload is lost. */
  linkEnded(): void {
    this.responses.clear();
    this.tones.abort();
    this.binding.linkEnded();
    this.context.changed();
  }

  measure(reading: Partial<Reading>): void {
    this.change({ reading: { ...this.fields.reading, ...reading } });
  }

  setBattery(battery: number): void {
    this.change({ battery });
  }

  /** The button on top: stops the sound immediately; held for 12 s, it resets the clock to its factory state. */
  press(secs: number): void {
    this.sounds.silence();
    if (secs < RESET_SECS) return;
    this.binding.forget();
    this.tones.reset(FACTORY_SETTINGS.ringtone);
    this.display.forget();
    this.alarms.clear();
    this.change({ record: FACTORY_RECORD, settings: FACTORY_SETTINGS });
    this.alarms.jump();
    this.context.dropLink();
  }

  /** Advances the time in one step; alarms that become due ring, in order. */
  advance(secs: number): void {
    this.time.advance(secs * 1000);
    this.alarms.pass();
    this.context.changed();
  }

  setBehaviour(behaviour: ClockBehaviour): void {
    this.change({ behaviour });
  }

  close(): void {
    this.alarms.close();
    this.sounds.silence();
    this.responses.clear();
  }

  private get localTime(): LocalTime {
    return this.time.now + this.fields.settings.timezone_offset_minutes * MINUTE_MS;
  }

  private change(change: Partial<ClockFields>): void {
    this.fields = { ...this.fields, ...change };
    this.context.changed();
  }

  private receive(command: Command): void {
    if (this.binding.authenticated || forAnybody.includes(command._tag)) {
      const { behaviour } = this.fields;
      const outcome = behaviour.refused_commands.includes(command._tag) ? 'failure' : this.execute(command);
      if (outcome !== undefined) this.respond(command, [ackReply(command, outcome, this.fields.behaviour)]);
    } else if (this.fields.behaviour.wrong_token === 'drop') {
      this.context.dropLink();
    }
    this.context.changed();
  }

  /** The outcome to acknowledge; undefined if the command is answered otherwise, or not yet. */
  private execute(command: Command): AckOutcome | undefined {
    const { settings, record, firmware, behaviour } = this.fields;
    switch (command._tag) {
      case 'AuthInit':
        return this.binding.offer(command.token);
      case 'AuthConfirm':
        return this.binding.confirm(command.token, behaviour.wrong_token);
      case 'SetTime':
        this.time.set(command.seconds * 1000);
        this.alarms.jump();
        return 'success';
      case 'ReadFirmware':
        this.respond(command, [firmwareReply(firmware, behaviour)]);
        return undefined;
      case 'ReadSettings':
        this.respond(command, [{ _tag: 'Settings', record }]);
        return undefined;
      case 'WriteSettings':
        return this.store(command.record);
      case 'SetBrightness':
        this.display.show(command.brightness, settings, this.localTime);
        return 'success';
      case 'PreviewRingtone':
        this.preview(command.volume ?? settings.volume);
        return 'success';
      case 'ReadAlarms':
        this.respond(command, alarmReplies(this.alarms.entries, behaviour));
        return undefined;
      case 'SetAlarm':
        this.alarms.set(command.slot, command.alarm);
        return 'success';
      case 'DeleteAlarm':
        this.alarms.set(command.slot, null);
        return 'success';
      case 'AudioInit':
        return this.tones.begin(command.signature, command.size);
      case 'AudioBlock':
        return this.tones.take(command.data);
    }
  }

  /** Keeps every byte as written; the tone changes only to a complete tone. */
  private store(record: SettingsRecord): AckOutcome {
    const settings = decodeSettings(record);
    if (E.isLeft(settings)) return 'failure';
    this.alarms.pass();
    this.display.forget();
    this.tones.choose(settings.right.ringtone);
    this.change({ record: Buffer.from(record), settings: settings.right });
    this.alarms.jump();
    return 'success';
  }

  private preview(volume: number): void {
    this.sounds.playPreview();
    this.context.happened(() => ({ type: 'preview', volume }));
  }

  /** An alarm rings: no packet reports it. */
  private ring(slot: number): void {
    const { volume } = this.fields.settings;
    this.sounds.playAlarm(slot);
    this.context.happened(() => ({ type: 'ringing', slot, ringtone: this.tones.inUse, volume }));
  }

  private respond(command: Command, notifications: readonly Notification[]): void {
    this.responses.later(this.fields.behaviour.ack_delay_ms, () => {
      for (const notification of notifications) this.context.notify(channelOf(command), notification);
    });
  }
}

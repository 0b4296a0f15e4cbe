/** UUIDs of the Nordic UART service, lower case without dashes (docs/godice-protocol.md §2). */
export const NUS_SERVICE = '6e400001b5a3f393e0a9e50e24dcca9e';

/** Host to die; write and write without response. */
export const NUS_WRITE = '6e400002b5a3f393e0a9e50e24dcca9e';

/** Die to host; notify. */
export const NUS_NOTIFY = '6e400003b5a3f393e0a9e50e24dcca9e';

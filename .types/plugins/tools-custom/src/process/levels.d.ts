/** What a handler's process is kept apart by, the loosest first. */
export declare const SANDBOXES: readonly ['process', 'container', 'namespaces', 'bubblewrap'];
export type Sandbox = (typeof SANDBOXES)[number];
/** What a start tries from inside of a handler's process, to see whether it is kept apart. */
export declare const ATTEMPTS: {
    readonly environment: 'read the environment of the server';
    readonly dotenv: 'read the .env of the agent';
    readonly keys: 'read the keys in the data folder';
    readonly write: 'write outside of its own folder';
    readonly loopback: 'connect to a port of this machine';
    readonly child: 'leave a process behind';
};
export type Attempt = keyof typeof ATTEMPTS;
export declare const ATTEMPT_NAMES: readonly Attempt[];
/**
 * What has to be stopped for a sandbox to count. In a container, other machines and their files are kept away by whoever runs it,
 * and its own ports are in reach; with `network`, somebody has said that they are.
 */
export declare function claimsOf(sandbox: Sandbox, network: boolean): readonly Attempt[];

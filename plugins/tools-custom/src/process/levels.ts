/** What a handler's process is kept apart by, the loosest first. */
export const SANDBOXES = ['process', 'container', 'namespaces', 'bubblewrap'] as const
export type Sandbox = (typeof SANDBOXES)[number]

/** What a start tries from inside of a handler's process, to see whether it is kept apart. */
export const ATTEMPTS = {
  environment: 'read the environment of the server',
  dotenv: 'read the .env of the agent',
  keys: 'read the keys in the data folder',
  write: 'write outside of its own folder',
  loopback: 'connect to a port of this machine',
  child: 'leave a process behind',
} as const
export type Attempt = keyof typeof ATTEMPTS
export const ATTEMPT_NAMES = Object.keys(ATTEMPTS) as readonly Attempt[] // of the table above

/**
 * What has to be stopped for a sandbox to count. In a container, other machines and their files are
 * kept away by whoever runs it, and its own ports are in reach; with `network`, somebody has said
 * that they are.
 */
export function claimsOf(sandbox: Sandbox, network: boolean): readonly Attempt[] {
  const open = sandbox === 'container' || (network && sandbox !== 'process')
  return ATTEMPT_NAMES.filter((attempt) => !open || attempt !== 'loopback')
}

import { z } from 'zod'
import type { IsolationOptions } from './isolation.ts'
import { SANDBOXES } from './process/levels.ts'
import { USERS } from './process/users.ts'

/** How handlers and guards are kept apart, and what they may take. */
export const settings = z.object({
  isolation: z
    .enum(['required', 'wanted', 'none'])
    .default('wanted')
    .describe(
      'required: handlers run only where a start has proved that they are kept apart; none: they need not be',
    ),
  sandbox: z
    .enum(['auto', ...SANDBOXES])
    .default('auto')
    .describe(
      'What keeps handlers apart; auto: bubblewrap where it works, and where isolation is required also namespaces',
    ),
  network: z
    .boolean()
    .default(false)
    .describe(
      'In namespaces or bubblewrap: whether handlers can open connections of their own, also to this machine',
    ),
  users: z
    .int()
    .min(1_000)
    .max(4_000_000_000)
    .default(64_000)
    .describe(
      'Where the server is root: the first of 512 numbers of users that nobody has, for handlers',
    ),
  memoryMb: z
    .int()
    .min(32)
    .max(16_384)
    .default(256)
    .describe('MB of JavaScript heap of a handler; as much again may be in buffers'),
  programMemoryMb: z
    .int()
    .min(32)
    .max(65_536)
    .default(1_024)
    .describe('MB of data of one process of a program, such as the commands of a workspace'),
  processes: z.int().min(1).max(256).default(8).describe('Handler processes at a time'),
  idleMs: z.int().min(0).default(60_000).describe('ms that a process waits for its next call'),
  callsEach: z.int().min(1).default(500).describe('Calls until a process is exchanged'),
  guardProcesses: z.int().min(1).max(64).default(4).describe('Processes of guards at a time'),
  guardMs: z
    .int()
    .min(10)
    .max(60_000)
    .default(5_000)
    .describe('ms in which a guard of hooks/ has to answer'),
  startMs: z.int().min(100).default(20_000).describe('ms to load a handler'),
  outputBytes: z
    .int()
    .min(1_000)
    .default(1_000_000)
    .describe('Bytes that a call may write to its output'),
  messageBytes: z
    .int()
    .min(1_000)
    .default(8_000_000)
    .describe('Bytes of one message of a handler, such as its result'),
})

/**
 * The isolation of programs that a model or a stranger has written: always required, without
 * network. A bare process or a container is no sandbox for them.
 */
export const programSettings = ({
  sandbox,
  users,
  programMemoryMb,
}: z.output<typeof settings>): Omit<IsolationOptions, 'path'> => ({
  isolation: 'required',
  sandbox: sandbox === 'bubblewrap' || sandbox === 'namespaces' ? sandbox : 'auto',
  network: false,
  users: users + USERS,
  memoryMb: programMemoryMb / 2,
})

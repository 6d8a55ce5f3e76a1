import { join } from 'node:path'
import { Commands, startAgent, type Command, type Result, type Running } from '@amodal/sdk'
import { explainStart } from '../config/explain.ts'
import type { Folder, FolderError, FolderOptions } from '../config/folder.ts'
import type { WiringFile } from '../config/read.ts'
import { readFolder, wireFolder } from '../config/start.ts'
import { Wiring } from '../config/wiring.ts'
import { completionCommand } from './completion.ts'
import { docsCommand } from './docs.ts'

/** The commands that the plugins of a folder contribute, until they are closed. */
export interface OpenCommands {
  readonly commands: ReadonlyMap<string, Command>
  /**
   * Why the folder's own plugins could not be asked: the commands are those of the standard preset
   * then.
   */
  readonly problem: FolderError | undefined
  close(): Promise<void>
}

/**
 * Asks the plugins of a folder for their commands. They are set up for that, and nothing is
 * started. Commands help to put a broken folder right, so those of the standard preset are there
 * whatever is wrong with it.
 *
 * @param docs folder of the documentation
 */
export async function openCommands(
  options: FolderOptions,
  docs: string | undefined,
): Promise<OpenCommands> {
  const own = await setUp(await readFolder(options), options)
  if (own.ok) return opened(own.value, undefined, docs)
  const { dir, env } = options
  const standard = await setUp(
    await wireFolder(noWiring(dir), {
      dir,
      preset: 'dev',
      env: { ...env, AMODAL_SESSION_TTL: undefined },
    }),
    options,
  )
  if (!standard.ok) throw new Error(explainStart(standard.error))
  return opened(standard.value, own.error, docs)
}

async function setUp(
  folder: Result<Folder, FolderError>,
  { env }: FolderOptions,
): Promise<Result<Running, FolderError>> {
  if (!folder.ok) return folder
  // Warnings of the setup are logged again by the start.
  return startAgent(folder.value.entries, {
    ...folder.value.options,
    env: { ...env, LOG_LEVEL: 'none' },
    boots: [],
  })
}

function opened(
  { kernel, close }: Running,
  problem: FolderError | undefined,
  docs: string | undefined,
): OpenCommands {
  const commands = new Map(kernel.current().registry(Commands))
  commands.set('docs', docsCommand(docs))
  commands.set('completion', completionCommand(new Map(commands)))
  return { commands, problem, close: () => close('command ended') }
}

const noWiring = (dir: string): WiringFile => ({
  wiring: Wiring.parse({}),
  file: join(dir, 'amodal.json'),
  issue: (_path, about) => ({ severity: 'error', ...about }),
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface AgentFolder extends AsyncDisposable {
  readonly dir: string
  remove(): Promise<void>
}

/** A folder with these files, by their paths. */
export async function agentFolder(files: Readonly<Record<string, string>>): Promise<AgentFolder> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-agent-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true })
  return { dir, remove, [Symbol.asyncDispose]: remove }
}

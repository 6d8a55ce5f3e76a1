import { statSync } from 'node:fs'
import { trySync, type Checkup, type DatabaseProbe, type Logger } from '@amodal/sdk'
import { lockFolder } from './lock.ts'
import { FolderRecord } from './record.ts'

/** Looks at a folder without opening the database in it, which would write to it. */
export async function folderProbe(folder: string, log: Logger): Promise<DatabaseProbe> {
  return {
    checkups: [await folderCheckup(folder, log)],
    database: undefined,
    close: async () => undefined,
  }
}

async function folderCheckup(folder: string, log: Logger): Promise<Checkup> {
  const title = `Database in ${folder}`
  const found = trySync(
    () => statSync(folder),
    () => undefined,
  )
  if (!found.ok)
    return { title: `${title}: none yet, the next start makes it`, ok: true, lines: [] }
  const locked = await lockFolder(folder, undefined)
  if (!locked.ok) {
    const isUsed = locked.error.code === 'DATABASE_LOCKED'
    const lines = [locked.error.message]
    return { title: isUsed ? `${title}: not looked into` : title, ok: isUsed, lines }
  }
  const record = new FolderRecord(folder, log)
  const sound = record.inspect()
  const problem = sound.ok ? record.problem() : sound.error.message
  await locked.value.release()
  return { title, ok: problem === undefined, lines: problem === undefined ? [] : [problem] }
}

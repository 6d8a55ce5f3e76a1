import { Agent, isObject, type AgentBundle, type Generation } from '@amodal/sdk'
import { EVERY_ROLE } from '@amodal/sdk/loop'

/** What one owner may keep. */
export interface MemoryLimits {
  readonly entries: number
  /** Of all notes together; `Infinity` where nothing limits them. */
  readonly totalChars: number
}

/** `memory` of amodal.json, with what holds where it is left out. */
export interface MemorySettings extends MemoryLimits {
  readonly enabled: boolean
  /** Who may write and remove notes. */
  readonly editableBy: 'any' | 'admin' | 'none'
  /** Turns after which the model is reminded to keep what matters; 0: never. */
  readonly nudgeInterval: number
}

const ADMIN = 'admin'
/** The defaults of the block, where there is one. */
const BLOCK = {
  editableBy: 'any',
  maxEntries: 50,
  maxTotalChars: 8_000,
  nudgeInterval: 10,
} as const

/**
 * @param entries notes of one owner, where the manifest has no block
 * @example
 * memorySettings(bundle, 200).enabled // false where amodal.json says so
 */
export function memorySettings(bundle: AgentBundle | undefined, entries: number): MemorySettings {
  const block = bundle?.manifest.raw['memory']
  if (!isObject(block))
    return { enabled: true, editableBy: 'any', entries, totalChars: Infinity, nudgeInterval: 0 }
  const number = (name: 'maxEntries' | 'maxTotalChars' | 'nudgeInterval'): number => {
    const value = block[name]
    return typeof value === 'number' ? value : BLOCK[name]
  }
  const { editableBy } = block
  return {
    enabled: block['enabled'] === true,
    editableBy: editableBy === 'admin' || editableBy === 'none' ? editableBy : BLOCK.editableBy,
    entries: number('maxEntries'),
    totalChars: number('maxTotalChars'),
    nudgeInterval: number('nudgeInterval'),
  }
}

/** The settings of the files that are in use. */
export const settingsNow = (generation: Generation, entries: number): MemorySettings =>
  memorySettings(generation.scope.find(Agent)?.bundle(), entries)

/** Whether these roles may write and remove notes. */
export function mayEdit({ editableBy }: MemorySettings, roles: readonly string[]): boolean {
  switch (editableBy) {
    case 'any':
      return true
    case 'admin':
      return roles.includes(ADMIN) || roles.includes(EVERY_ROLE)
    case 'none':
      return false
  }
}

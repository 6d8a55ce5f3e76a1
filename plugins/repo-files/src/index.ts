import { BundleSource, Commands, definePlugin, Models, Secrets } from '@amodal/sdk'
import { z } from 'zod'
import { Edits } from './edits.ts'
import { starterFilesFor } from './schemas/editor-files.ts'
import { ownSchemas } from './schemas/own-schemas.ts'
import { schemasCommand } from './schemas/schemas-command.ts'
import { folderSource } from './source.ts'
import { addCommand } from './add/add-command.ts'
import { ownStarters } from './add/own-starters.ts'
import { initCommand } from './init/init-command.ts'
import { FileSources } from './file-sources.ts'
import {
  FileSchemas,
  FolderCheck,
  FolderOwners,
  KeptEdits,
  PartStarters,
  StarterOffers,
} from './tokens.ts'
import { typesCommand } from './types/types-command.ts'
import { loadBundle } from './load.ts'
import { asLoaded, checkFolder, validateCommand } from './validate.ts'

export { MANIFEST_FIELDS } from './manifest.ts'
export { loadBundle, type LoadFailure, type LoadOptions } from './load.ts'

/**
 * Loads the agent folder into an immutable bundle; `amodal init` makes one, `add` writes
 * a part of one, `validate` checks it, `build-manifest-types` types it.
 */
export const repoFiles = definePlugin({
  name: 'repo-files',
  version: '0.1.0',
  reaches: { secrets: ['*'], files: ['*'] },
  requires: { secrets: Secrets },
  optional: { kept: KeptEdits },
  provides: [BundleSource, FolderCheck],
  config: z.object({
    dir: z.string().min(1).describe('The agent folder'),
    folders: z
      .array(z.string().regex(/^[\w-]+$/))
      .default([])
      .describe('Folders to read beside those of the format'),
    maxFileBytes: z.int().positive().default(1_048_576).describe('Bytes of one file'),
    maxFiles: z.int().positive().default(2_000).describe('Files read'),
  }),
  setup({ config, deps, provide, add, generation }) {
    const { dir, ...folder } = config
    const limits = {
      ...folder,
      providers: () => [...generation().registry(Models).keys()],
      owned: () => [...generation().registry(FolderOwners).values()].map(({ folder: one }) => one),
      sources: () => [...generation().registry(FileSources).values()],
    }
    provide(BundleSource, () =>
      folderSource(dir, { ...limits, secrets: deps.secrets }, editsOf(dir, deps.kept)),
    )
    provide(FolderCheck, () => ({
      check: (folder, signal) =>
        checkFolder(folder, { ...limits, secrets: deps.secrets, signal }, generation()),
      read: (folder, signal) => loadBundle(folder, { ...limits, secrets: deps.secrets, signal }),
      complete: (bundle) => asLoaded(bundle, generation()),
    }))
    add(Commands, 'init', initCommand(generation))
    add(Commands, 'add', addCommand(generation))
    add(Commands, 'schemas', schemasCommand(generation))
    for (const [name, schema] of Object.entries(ownSchemas)) add(FileSchemas, name, schema)
    add(StarterOffers, 'vscode', {
      question: 'Complete and check its files in VS Code?',
      isDefault: true,
      get files() {
        return starterFilesFor(generation())
      },
    })
    for (const [kind, starter] of Object.entries(ownStarters)) add(PartStarters, kind, starter)
    add(Commands, 'build-manifest-types', typesCommand)
    add(Commands, 'validate', validateCommand(deps.secrets, limits, generation))
  },
})

function editsOf(dir: string, kept: KeptEdits | undefined): Edits {
  const edits = kept?.get(dir) ?? new Edits()
  kept?.set(dir, edits)
  return edits
}

export default repoFiles

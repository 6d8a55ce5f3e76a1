import { FileSchemas, schemaText } from '@amodal/plugin-repo-files/tokens'
import { entriesOf } from '@amodal/sdk/inspection'
import { OWN_PLUGINS } from './own-plugins.ts'

/** The schemas that the package `amodal` publishes, by their paths. */
export const freshSchemas = (): ReadonlyMap<string, string> =>
  new Map(
    OWN_PLUGINS.flatMap(({ declared }) =>
      [...entriesOf(declared, FileSchemas)].map(
        ([name, schema]) => [`cli/schemas/${name}.schema.json`, schemaText(name, schema)] as const,
      ),
    ),
  )

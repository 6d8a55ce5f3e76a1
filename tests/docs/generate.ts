// Writes the parts of the pages that are made from the code: `node tests/docs/generate.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshPages } from './generated.ts'
import { ROOT } from './pages.ts'

for (const [page, text] of freshPages()) writeFileSync(join(ROOT, page), text)

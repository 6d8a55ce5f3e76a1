import type { Inventory } from '@amodal/sdk/inspection'
import { pagesOf } from './read-pages.ts'

/** Pages, for `inspect`. */
export const inventory: Inventory = {
  title: 'Pages',
  items: (bundle) =>
    pagesOf(bundle).map(({ name, title, description, file, stores, automations, hidden }) => ({
      name,
      about: description ?? title,
      facts: { file, stores: [...stores], automations: [...automations], hidden },
    })),
}

import type { Inventory, InventoryItem } from '@amodal/sdk/inspection'
import { automationsOf, startOf, webhookPathOf, type Automation } from './definition.ts'
import { rightsOf } from './rights.ts'

/** Automations as `/inspect/context` and `amodal inspect` list them, for those who may see them. */
export const inventory: Inventory = {
  title: 'Automations',
  items: (bundle, roles) =>
    roles === undefined || rightsOf(bundle, { roles }).view
      ? automationsOf(bundle).map(itemOf)
      : [],
}

function itemOf(automation: Automation): InventoryItem {
  const { name, title, trigger, schedule, timezone, writeEnabled, file } = automation
  return {
    name,
    about: `${startOf(automation)}, ${writeEnabled ? 'may write' : 'read-only'}`,
    facts: {
      title,
      trigger,
      ...(schedule !== undefined && { schedule, timezone }),
      ...(trigger === 'webhook' && { webhookPath: webhookPathOf(automation) }),
      writeEnabled,
      filePath: file,
    },
  }
}

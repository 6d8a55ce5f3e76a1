import type { Inventory } from '@amodal/sdk/inspection'
import type { AssetSettings } from './settings.ts'

/** Which files a message may have, for `inspect`. */
export const limitsInventory = (settings: AssetSettings, kept: string): Inventory => ({
  title: 'Files of messages',
  items: () => [
    {
      name: 'files',
      about: `up to ${settings.maxPerMessage} a message, ${settings.maxFileBytes} bytes each, kept in ${kept}: ${settings.types.join(', ')}`,
      facts: {
        types: settings.types,
        max_file_bytes: settings.maxFileBytes,
        max_message_bytes: settings.maxMessageBytes,
        max_per_message: settings.maxPerMessage,
        max_tenant_bytes: settings.maxTenantBytes,
        keep_unused_hours: settings.keepUnusedHours,
        ...(settings.keepDays !== undefined && { keep_days: settings.keepDays }),
        kept,
      },
    },
  ],
})

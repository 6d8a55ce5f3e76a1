import { pluginContract } from '@amodal/sdk/testing'
import { guardTaint } from '../src/index.ts'

pluginContract(guardTaint, { config: { inside: ['take_note'], flowChars: 120 } })

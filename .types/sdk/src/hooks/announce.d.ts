import type { Generation } from '@amodal/kernel';
import type { Audience, RuntimeEvent } from '../ports/runtime-event.ts';
/**
 * Tells whoever watches the server that something changed. Costs one comparison where nobody does.
 *
 * @example
 * announce(generation(), { type: 'store_updated', storeName: 'orders', operation: 'put' }, { tenant: tenantId('acme') })
 */
export declare function announce(generation: Generation, event: RuntimeEvent, audience: Audience): void;

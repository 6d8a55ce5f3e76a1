import { type AgentBundle, type ConnectionStatus, type HealthFact } from '@amodal/sdk';
/** How HTTP connections fare, and those of any kind that are left out. */
export declare function statusesOf(bundle: AgentBundle): readonly ConnectionStatus[];
export declare function healthOf(bundle: AgentBundle | undefined): HealthFact;

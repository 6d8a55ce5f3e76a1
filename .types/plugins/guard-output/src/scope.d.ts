import { type AgentBundle } from '@amodal/sdk';
/** Labels of what a text claims to speak of all of, although only a part can be seen. */
export declare function claimsBeyond(text: string, bundle: AgentBundle): readonly string[];
export declare const isScoped: (bundle: AgentBundle) => boolean;

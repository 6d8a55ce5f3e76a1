import { type AgentBundle, type Json } from '@amodal/sdk';
import { z } from 'zod';
/** `webTools` of amodal.json: who searches the web for the agent. */
export declare const SearchSettings: z.ZodObject<{
    provider: z.ZodEnum<{
        brave: "brave";
        google: "google";
        searxng: "searxng";
        tavily: "tavily";
    }>;
    apiKey: z.ZodExactOptional<z.ZodString>;
    baseUrl: z.ZodExactOptional<z.ZodURL>;
    model: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>;
export type SearchSettings = z.output<typeof SearchSettings>;
/** `"tools": { "web": false }`: the agent reads no pages. */
export declare function mayFetch({ manifest: { raw } }: AgentBundle): boolean;
/** What `webTools` says; `undefined` where it is not there, an error text where it cannot be used. */
export declare function searchSettings(raw: Json | undefined): SearchSettings | string | undefined;

export declare const SPARING_FLAGS: readonly string[];
export declare function sparingEnvironment(environment: NodeJS.ProcessEnv, hasWorkers: boolean): NodeJS.ProcessEnv;

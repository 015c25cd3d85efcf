export declare function sparingFlags(hasWorkers: boolean): readonly string[];
export declare function sparingEnvironment(environment: NodeJS.ProcessEnv, hasWorkers: boolean): NodeJS.ProcessEnv;

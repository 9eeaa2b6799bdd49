// All tidy rules, each under the promise that it enforces.

import { ourErrorCodes, ourSettings } from "./catalogue";
import { noForcedTypes, noInstanceofOfOurErrors, nothingLeftForLater, nothingSilenced, openingSentence } from "./comments";
import { lockfileIsWhole, lockfileNamesNoHost } from "./lockfile";
import { documentsNameFiles, mapAnswersQuestions, mapEqualsDisk } from "./map";
import { emptyFileNames, emptyFunctionNames, kebabCase } from "./names";
import { fileLength, folderSize, functionLength } from "./sizes";
import { noModuleState } from "./state";
import { noMachine, noSecrets } from "./strings";
import { everyTableHasAnOwner, functionsStandOnce, ownTablesInCode, ownTablesInFunctions } from "./tables";
import type { Rule } from "./tree";
import { plainVerbs, plainWords } from "./words";

export const rules: readonly (readonly [promise: string, rule: Rule])[] = [
  ["a file has at most 300 lines", fileLength],
  ["a function has at most 60 lines, a component 100", functionLength],
  ["a folder has at most 25 files side by side", folderSize],
  ["functions begin with a verb that says what they do", plainVerbs],
  ["names are the words that a reader would search for", plainWords],
  ["no file or folder has an empty name", emptyFileNames],
  ["no function is called handle…", emptyFunctionNames],
  ["code files are kebab-case", kebabCase],
  ["each file of lib/ opens with what it owns and promises", openingSentence],
  ["nothing is left for later", nothingLeftForLater],
  ["no type is forced through unknown", noForcedTypes],
  ["no check without exceptions is silenced", nothingSilenced],
  ["our errors are known by their brand, not by instanceof", noInstanceofOfOurErrors],
  ["no module holds state, except in a process singleton", noModuleState],
  ["every table has an owner", everyTableHasAnOwner],
  ["code names only tables of its own folder", ownTablesInCode],
  ["SQL functions touch only tables of their owner", ownTablesInFunctions],
  ["each SQL function stands once, with its owner", functionsStandOnce],
  ["every error code is thrown and tested", ourErrorCodes],
  ["every setting is documented in .env.example", ourSettings],
  ["lib/README.md lists the folders that are there", mapEqualsDisk],
  ["lib/README.md answers where things are, and the answers hold", mapAnswersQuestions],
  ["the map, the threats and the ASVS name files that are there", documentsNameFiles],
  ["no file names a registry or a path of one machine", noMachine],
  ["the lockfile names no host", lockfileNamesNoHost],
  ["the lockfile is whole for every system", lockfileIsWhole],
  ["no file holds a secret", noSecrets],
];

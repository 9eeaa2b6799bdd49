// All tidy rules, each under the promise that it enforces.

import { ourErrorCodes, ourSettings } from "./catalogue";
import { noForcedTypes, noInstanceofOfOurErrors, nothingLeftForLater, nothingSilenced, openingSentence } from "./comments";
import { decisionsAreInTheIndex, decisionsAreShort, decisionsNameAlternatives, decisionsSayTheirStatus } from "./decisions";
import { lockfileIsWhole, lockfileNamesNoHost } from "./lockfile";
import { documentsNameFiles, mapAnswersQuestions, mapEqualsDisk } from "./map";
import { regexesAreLinear } from "./regexes";
import { biomeHasOurLimits, fileSize, folderSize } from "./sizes";
import { noModuleState } from "./state";
import { noMachine, noSecrets } from "./strings";
import { everyTableHasAnOwner, functionsStandOnce, ownTablesInCode, ownTablesInFunctions } from "./tables";
import type { Rule } from "./tree";

export const rules: readonly (readonly [promise: string, rule: Rule])[] = [
  ["a folder has at most 25 files side by side", folderSize],
  ["a file has at most 300 lines, comments included", fileSize],
  ["Biome has the limits of limits.ts", biomeHasOurLimits],
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
  ["the map, the threats and the decisions name files that are there", documentsNameFiles],
  ["each decision has its number as title, and a status", decisionsSayTheirStatus],
  ["a decision has at most 700 words", decisionsAreShort],
  ["each decision names a rejected alternative", decisionsNameAlternatives],
  ["each decision is in the index once", decisionsAreInTheIndex],
  ["every regular expression takes linear time", regexesAreLinear],
  ["no file names a registry or a path of one machine", noMachine],
  ["the lockfile names no host", lockfileNamesNoHost],
  ["the lockfile is whole for every system", lockfileIsWhole],
  ["no file holds a secret", noSecrets],
];

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {isSignedBy} from "./proof-signature.sol";

/**
 * Checks a contract wallet's signature exactly like the settlement contract, in one `eth_call`. It is never deployed: the call runs
 * this constructor and returns its output, a word that is 1 or 0, in place of the code that it would deploy.
 */
contract ProofChecker {
    constructor(address from, bytes32 hash, bytes memory signature) {
        bool isSigned = isSignedBy(from, hash, signature);
        assembly ("memory-safe") {
            mstore(0, isSigned)
            return(0, 32)
        }
    }
}

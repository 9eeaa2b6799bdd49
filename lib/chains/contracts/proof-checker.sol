// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {isSignedBy} from "./proof-signature.sol";

/**
 * Asks a contract wallet about a signature as the settlement contract will, in one `eth_call`. It is never deployed: the call runs
 * this constructor and takes what it returns, a word that is 1 or 0, for the code of the contract that it would have made.
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

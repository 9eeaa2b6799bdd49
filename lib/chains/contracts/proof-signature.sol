// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

// A wallet's own check gets this much gas and no more: a passkey's in Solidity takes 0.3 million.
uint256 constant MOST_WALLET_GAS = 500_000;
// Longer ones are nobody's: whoever relays them pays for each byte.
uint256 constant MOST_SIGNATURE_BYTES = 4_096;
// For what is done beside the wallet's own check, before it.
uint256 constant SPARE_GAS = 10_000;

/// The transaction brings less gas than a wallet's check may take: its answer would be no answer.
error NotEnoughGas();

/**
 * Whether `from` signed `hash`: with its own key, 65 bytes with a low s and 27 or 28 at their end; or as a contract that is there
 * and answers as ERC-1271 says. An account whose key signs and that has code as well (EIP-7702) may do either.
 *
 * A wallet is asked by a call that can change nothing. What else it does (revert, loop, answer a megabyte, answer rubbish) is a no.
 */
function isSignedBy(address from, bytes32 hash, bytes memory signature) view returns (bool) {
    if (signature.length > MOST_SIGNATURE_BYTES) return false;
    (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
    if (problem == ECDSA.RecoverError.NoError && signer == from) return true;
    return from.code.length > 0 && isAcceptedBy(from, hash, signature);
}

function isAcceptedBy(address wallet, bytes32 hash, bytes memory signature) view returns (bool isAccepted) {
    bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (hash, signature));
    // A call hands on 63 of 64 parts at most, and says nothing when that is less than it was told to.
    if ((gasleft() / 64) * 63 < MOST_WALLET_GAS + SPARE_GAS) revert NotEnoughGas();
    bytes32 yes = bytes32(IERC1271.isValidSignature.selector);
    assembly ("memory-safe") {
        // One word of the answer is taken, however long it is.
        let isDone := staticcall(MOST_WALLET_GAS, wallet, add(question, 32), mload(question), 0, 32)
        isAccepted := and(and(isDone, gt(returndatasize(), 31)), eq(mload(0), yes))
    }
}
